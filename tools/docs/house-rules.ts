// docs/house-rules.md, from the closed list of rules.

import { exemptionsPath } from '../tidy/exemptions.ts';
import { rules } from '../tidy/rules.ts';

/** The page's text. */
export function houseRulesPage(): string {
  const rows = rules.map((rule) => `| ${rule.id} | ${rule.title} | ${rule.why} |`);
  return [
    '# House rules',
    '',
    'Each rule is a test in `tools/tidy.test.ts` and says in its message what to do. What a rule does not yet hold for is',
    `listed in \`${exemptionsPath}\`; an entry that is no longer needed fails the test, so the list only shrinks.`,
    '',
    '| rule | says | because |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

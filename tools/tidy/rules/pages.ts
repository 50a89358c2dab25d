// Generated pages agree with what they are generated from.

import { generatedPages } from '../../docs/pages.ts';
import type { Project } from '../project.ts';
import { type Finding, findingOn, type Rule } from '../rule.ts';

async function checkFreshness(project: Project): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [path, text] of await generatedPages()) {
    if (project.files.get(path)?.text !== text)
      findings.push(findingOn(path, 1, 'write the page again with npm run docs'));
  }
  return findings;
}

/** The rule about generated pages. */
export const pageRules: readonly Rule[] = [
  {
    id: 'H27',
    title: 'Generated pages are fresh.',
    why: 'A page that can lag behind the code is not believed.',
    check: checkFreshness,
  },
];

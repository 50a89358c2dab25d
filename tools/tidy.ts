// Prints what breaks the house rules, for one's own part of the tree: `npm run tidy -- packages/core`.
//
// Not here: the test that holds them, with its exemptions (tidy.test.ts).

import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { type Exemptions, exemptionsPath, withoutExempted } from './tidy/exemptions.ts';
import { readProject } from './tidy/project.ts';
import { findingText } from './tidy/rule.ts';
import { rules } from './tidy/rules.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const project = readProject(root);
const exemptions = JSON.parse(readFileSync(path.join(root, exemptionsPath), 'utf8')) as Exemptions;
const places = process.argv.slice(2);
let count = 0;
for (const rule of rules) {
  for (const finding of withoutExempted(rule, await rule.check(project), exemptions)) {
    if (places.length > 0 && !places.some((place) => finding.path.startsWith(place))) continue;
    console.log(findingText(rule, finding));
    count += 1;
  }
}
console.log(count === 0 ? 'the house is tidy' : `${count} to mend`);
process.exitCode = count === 0 ? 0 : 1;

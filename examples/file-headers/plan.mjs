// Prints a backlog in Markdown for the repository of the current folder: one intent that begins the index, and one for
// each folder in which the change finds something to do, at most as many as the argument says.

import { changeFiles, indexFile, trackedFolders } from './folders.mjs';
import { statedLicence } from './licence.mjs';

const most = Number(process.argv[2] ?? '60');
const licence = statedLicence();
const due = [...trackedFolders()].filter(([folder, files]) => {
  const nameable = !/[`\n|]/.test(folder);
  return nameable && changeFiles(files, licence).some((file) => file.text !== file.before);
});
// Of too many, some from everywhere.
const count = Math.min(most, due.length);
const chosen = Array.from({ length: count }, (_, index) => due[Math.floor((index * due.length) / count)] ?? []);

const first = `Begin ${indexFile}`;
console.log(`- [ ] ${first}\n  paths: ${indexFile}\n  priority: 1`);
for (const [folder = '.'] of chosen) {
  const glob = folder === '.' ? '*' : `${folder}/*`;
  // Characters that mean something in a glob would name other folders.
  const paths = /[[\]{}*?!\\,]/.test(folder) ? '' : `\n  paths: ${glob}`;
  console.log(`- [ ] File headers in ${folder}${paths}\n  after: ${first}\n  Folder: ${folder}`);
}

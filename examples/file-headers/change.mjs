// The command of an agent: does what its intent says in the checkout that it runs in.
//
// The first intent begins the index. Every other one gives the files of one folder their header and writes the folder's
// row of the index. The same checkout gives the same result, however often and in whichever order it runs.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { emptyIndex, withRow } from './code-index.mjs';
import { changeFiles, indexFile, trackedFolders } from './folders.mjs';
import { statedLicence } from './licence.mjs';

const body = process.env.FT_INTENT_BODY ?? '';
const folder = /^Folder: (.+)$/m.exec(body)?.[1];
const folders = trackedFolders();

if (folder === undefined) {
  if (!existsSync(indexFile)) writeFileSync(indexFile, emptyIndex(folders));
} else {
  const files = folders.get(folder);
  if (files === undefined) throw new Error(`no tracked file lies in ${folder}`);
  const changed = changeFiles(files, statedLicence());
  for (const { path, before, text } of changed) if (text !== before) writeFileSync(path, text, 'latin1');
  const headers = changed.filter((file) => file.header).length;
  const index = existsSync(indexFile) ? readFileSync(indexFile, 'utf8') : emptyIndex(folders);
  writeFileSync(indexFile, withRow(index, folder, files.length, headers));
}

// What a repository of ours looks like on disk, and which others can be opened.
//
// Invariants:
//   LY1. HEAD is made last: until then the directory is no repository, and making it can be tried again.
//   LY2. What the writer does not handle is refused by name, never guessed at.

import { utf8, utf8Text } from '@firetrident/base';
import type { Disk } from './disk.ts';
import { TrunkError } from './errors.ts';

const folders = [
  'objects/info',
  'objects/pack',
  'refs/heads',
  'refs/tags',
  'refs/notes',
  'refs/firetrident/preserved',
  'firetrident',
];

const config = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tlogAllRefUpdates = false
\tfsync = all
[gc]
\tauto = 0
[maintenance]
\tauto = false
[receive]
\tautogc = false
[pack]
\tthreads = 1
[fetch]
\tunpackLimit = 1
[transfer]
\thideRefs = refs/firetrident
[uploadpack]
\tallowFilter = true
`;

/** Makes folders and configuration of a bare repository, not yet its HEAD. Throws `exists` when there is one. */
export function layOut(disk: Disk, directory: string): void {
  if (disk.read(`${directory}/HEAD`)) throw new TrunkError('exists', `${directory} is a git repository already`);
  for (const folder of folders) disk.makeDirectory(`${directory}/${folder}`);
  disk.write(`${directory}/config`, utf8(config));
  disk.sync(`${directory}/config`);
  const synced = new Set<string>();
  for (const folder of folders) {
    const parts = folder.split('/');
    for (let depth = parts.length; depth >= 0; depth -= 1) synced.add(parts.slice(0, depth).join('/'));
  }
  for (const folder of [...synced].sort().reverse()) {
    disk.syncDirectory(folder === '' ? directory : `${directory}/${folder}`);
  }
}

/** Makes the directory a repository whose HEAD is the branch (LY1). */
export function finishLayout(disk: Disk, directory: string, branch: string): void {
  if (!disk.createExclusive(`${directory}/HEAD`, utf8(`ref: refs/heads/${branch}\n`))) {
    throw new TrunkError('exists', `${directory} is a git repository already`);
  }
  disk.sync(`${directory}/HEAD`);
  disk.syncDirectory(directory);
  const slash = directory.lastIndexOf('/');
  if (slash > 0) disk.syncDirectory(directory.slice(0, slash));
}

/** Throws `not-a-repository`, or `unsupported` with the name of what is not handled (LY2). */
export function checkLayout(disk: Disk, directory: string): void {
  const head = disk.read(`${directory}/HEAD`);
  const text = disk.read(`${directory}/config`);
  if (!head || !text) throw new TrunkError('not-a-repository', `${directory} is not a bare git repository`);
  const settings = parseConfig(utf8Text(text));
  const refuse = (what: string): never => {
    throw new TrunkError('unsupported', `${directory} ${what}, which FireTrident does not support`);
  };
  if (settings.get('core.bare')?.toLowerCase() !== 'true') refuse('has a working tree');
  const format = settings.get('extensions.objectformat') ?? 'sha1';
  if (format.toLowerCase() !== 'sha1') refuse(`uses the object format ${format}`);
  const storage = settings.get('extensions.refstorage') ?? 'files';
  if (storage.toLowerCase() !== 'files') refuse(`stores refs as ${storage}`);
  for (const name of settings.keys()) {
    if (!name.startsWith('extensions.')) continue;
    const known = ['objectformat', 'refstorage', 'noop', 'preciousobjects', 'worktreeconfig'];
    if (!known.includes(name.slice('extensions.'.length))) refuse(`uses the extension ${name.slice(11)}`);
  }
  const version = settings.get('core.repositoryformatversion') ?? '0';
  if (version !== '0' && version !== '1') refuse(`has the format version ${version}`);
  if (disk.read(`${directory}/shallow`)) refuse('is a shallow clone');
}

/** Settings of a configuration file by "section.key" in lower case; subsections are left out, later values win. */
function parseConfig(text: string): Map<string, string> {
  const settings = new Map<string, string>();
  let section: string | null = null;
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    const header = /^\[\s*([A-Za-z0-9.-]+)\s*("[^"]*")?\s*\]/.exec(line);
    if (header) {
      section = header[2] === undefined ? (header[1] as string).toLowerCase() : null;
      continue;
    }
    const setting = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/.exec(line);
    if (!setting || section === null) continue;
    const value = (setting[2] ?? 'true').replace(/\s*[#;].*$/, '').replace(/^"(.*)"$/, '$1');
    settings.set(`${section}.${(setting[1] as string).toLowerCase()}`, value);
  }
  return settings;
}

// What a repository of ours looks like on disk, and which others can be opened.
//
// Invariants:
//   LY1. A repository that is being made is marked as unfinished until everything is durable: it cannot be opened, and
//        making it can be tried again.
//   LY2. What the writer does not handle is refused by name, never guessed at.

import { utf8, utf8Text } from '@firetrident/base';
import type { Disk } from './disk.ts';
import { TrunkError } from './errors.ts';
import { parentOf } from './memory-disk.ts';

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

function unfinishedMark(directory: string): string {
  return `${directory}/firetrident/unfinished`;
}

/**
 * Makes a bare repository that is not finished (LY1). Throws `exists` when a finished one, or one that is not ours, is
 * there.
 */
export function layOut(disk: Disk, directory: string, branch: string): void {
  if (disk.read(`${directory}/HEAD`) && !disk.read(unfinishedMark(directory))) {
    throw new TrunkError('exists', `${directory} is a git repository already`);
  }
  for (const folder of folders) disk.makeDirectory(`${directory}/${folder}`);
  disk.write(unfinishedMark(directory), utf8('This repository is still being made.\n'));
  disk.sync(unfinishedMark(directory));
  disk.syncDirectory(`${directory}/firetrident`);
  for (const [name, text] of [
    ['config', config],
    ['HEAD', `ref: refs/heads/${branch}\n`],
  ] as const) {
    disk.write(`${directory}/${name}`, utf8(text));
    disk.sync(`${directory}/${name}`);
  }
}

/** Makes everything durable, and then the repository a finished one (LY1). */
export function finishLayout(disk: Disk, directory: string): void {
  const above = parentOf(directory);
  if (above !== '') disk.syncDirectory(above);
  for (const folder of withParents(folders)) disk.syncDirectory(folder === '' ? directory : `${directory}/${folder}`);
  disk.remove(unfinishedMark(directory));
  disk.syncDirectory(`${directory}/firetrident`);
}

function withParents(paths: readonly string[]): string[] {
  const all = new Set<string>(['']);
  for (const path of paths) {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) all.add(path.slice(0, slash));
    all.add(path);
  }
  return [...all].sort();
}

/** Throws `not-a-repository`, or `unsupported` with the name of what is not handled (LY2). */
export function checkLayout(disk: Disk, directory: string): void {
  const head = disk.read(`${directory}/HEAD`);
  const text = disk.read(`${directory}/config`);
  if (!head || !text) throw new TrunkError('not-a-repository', `${directory} is not a bare git repository`);
  if (disk.read(unfinishedMark(directory))) {
    throw new TrunkError('not-a-repository', `${directory} was not finished when it was made; make it again`);
  }
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

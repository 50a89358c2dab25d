// Which repository the main job works on: the one that was named, else the history of this checkout, else a generated one.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runGit, tryGit } from '@firetrident/agents';
import { resolveSource } from '../commands/init.ts';

/** The root of the checkout that this program runs from. */
export const checkoutRoot = fileURLToPath(new URL('../../../../', import.meta.url));

/** Where the colony of the main job comes from. */
export interface StartSource {
  /** Path or address. */
  readonly source: string;
  /** The branch to take; null for the one that is checked out. */
  readonly branch: string | null;
  /** What it is, for a person. */
  readonly description: string;
}

/** Chooses the source: `own` is the checkout whose history is taken; a generated repository is made below `directory`. */
export async function chooseSource(
  named: string | undefined,
  current: string,
  directory: string,
  own: string = checkoutRoot,
): Promise<StartSource> {
  if (named !== undefined) {
    const source = resolveSource(current, named);
    return { source, branch: null, description: source };
  }
  const branch = await usableBranch(own);
  if (branch !== null) return { source: own, branch, description: `the history of this checkout, ${own}` };
  const source = join(directory, 'generated');
  await generateRepository(source);
  return { source, branch: 'main', description: 'a generated repository, since this checkout has no complete history' };
}

/** The branch of a checkout with a complete history of its own, or null. */
async function usableBranch(directory: string): Promise<string | null> {
  const answer = async (...args: string[]) => {
    const end = await tryGit(directory, args);
    return end.code === 0 ? end.output.toString('utf8').trim() : null;
  };
  // A repository further up is another project's.
  if ((await answer('rev-parse', '--show-cdup')) !== '') return null;
  if ((await answer('rev-parse', '--is-shallow-repository')) !== 'false') return null;
  if ((await answer('rev-parse', '--show-object-format')) !== 'sha1') return null;
  const head = await answer('symbolic-ref', '--quiet', '--short', 'HEAD');
  if (head !== null) return (await answer('rev-parse', '--verify', '--quiet', 'HEAD')) === null ? null : head;
  // Continuous integration often checks out a commit and not a branch.
  const branches = await answer('for-each-ref', '--points-at=HEAD', '--format=%(refname:short)', 'refs/heads');
  return branches?.split('\n')[0] || null;
}

const generatedFolders = 20;
const filesPerFolder = 15;

/** A repository of a few hundred small modules that import each other across folders. Always the same. */
async function generateRepository(directory: string): Promise<void> {
  const files = new Map<string, string>([
    ['LICENSE', 'Permission is hereby granted, free of charge, to any person.\n'],
  ]);
  for (let folder = 0; folder < generatedFolders; folder += 1) {
    for (let file = 0; file < filesPerFolder; file += 1) {
      const other = (folder + file + 1) % generatedFolders;
      const name = `part${folder}_${file}`;
      const text =
        `import { part${other}_0 } from '../area${other}/part0.ts';\n\n` +
        `export function ${name}(input: number): number {\n  return input > ${file} ? part${other}_0(input - 1) : ${folder};\n}\n`;
      files.set(`src/area${folder}/part${file}.ts`, text);
    }
    files.set(`src/area${folder}/notes.md`, `# Area ${folder}\n\nWhat belongs here.`);
  }
  for (const [path, text] of files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  await runGit(directory, ['init', '-q', '-b', 'main']);
  await runGit(directory, ['add', '-A']);
  await commitAll(directory, 'Generated repository');
}

/** Commits what is staged, under a fixed name. */
export async function commitAll(directory: string, message: string): Promise<void> {
  const person = [
    '-c',
    'user.name=FireTrident',
    '-c',
    'user.email=serial@firetrident.invalid',
    '-c',
    'commit.gpgsign=false',
  ];
  await runGit(directory, [...person, 'commit', '-q', '--allow-empty', '-m', message]);
}

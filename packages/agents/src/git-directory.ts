// Git directories written by hand: a few small files, and alternates that lend the colony's objects.
//
// Invariants:
//   GD1. Nothing in it is shared with another checkout or with the colony but by the path in its alternates, which git
//        only reads: whatever is done to one harms no other.

import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a git directory is made with. */
export interface GitDirectoryFacts {
  /** The colony's bare repository on this machine. */
  readonly repository: string;
  /** Patterns of the files to show; all when null. */
  readonly patterns: readonly string[] | null;
  /** Name for commits made inside; null leaves it to the person's own settings. */
  readonly identity: string | null;
  /** Whether it has no files of its own; it has unless set. */
  readonly bare?: boolean;
}

/** Makes the folders and writes the settings; what is there already stays. */
export function makeGitDirectory(folder: string, facts: GitDirectoryFacts): void {
  for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'info'])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'objects/info/alternates'), `${join(facts.repository, 'objects')}\n`);
  configureGitDirectory(folder, facts);
  if (!existsSync(join(folder, 'HEAD'))) writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
}

/** Writes the settings alone. */
export function configureGitDirectory(folder: string, facts: GitDirectoryFacts): void {
  const { patterns } = facts;
  writeFileSync(join(folder, 'config'), configText(facts));
  const file = join(folder, 'info/sparse-checkout');
  if (patterns === null) rmSync(file, { force: true });
  else writeFileSync(file, patterns.map((pattern) => `${pattern}\n`).join(''));
}

/** Points the branch of a git directory at a commit, and HEAD at the branch. */
export function pointHead(folder: string, commit: string): void {
  writeFileSync(join(folder, 'refs/heads/main'), `${commit}\n`);
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
}

/** The commit that HEAD stands at, by reading the files; null when it stands at none. */
export function headCommit(folder: string): string | null {
  const head = textOf(join(folder, 'HEAD'));
  const [, name] = /^ref: (refs\/heads\/[^\s]+)/.exec(head) ?? [];
  const commit = (name === undefined ? head : textOf(join(folder, name))).trim();
  return /^[0-9a-f]{40}$/.test(commit) ? commit : null;
}

function textOf(file: string): string {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file, 'utf8') : '';
}

function configText({ patterns, identity, bare = false }: GitDirectoryFacts): string {
  const lines = [
    '[core]',
    '\trepositoryformatversion = 0',
    `\tbare = ${bare}`,
    '\tfilemode = true',
    '\tautocrlf = false',
    '\tquotepath = false',
    // What is captured or committed is on the disk before it is named.
    '\tfsync = committed,reference',
    ...(patterns !== null ? ['\tsparseCheckout = true', '\tsparseCheckoutCone = false'] : []),
    '[gc]',
    '\tauto = 0',
    ...(identity === null ? [] : ['[user]', `\tname = ${identity}`, `\temail = ${identity}@firetrident.invalid`]),
  ];
  return `${lines.join('\n')}\n`;
}

const choice = /[[\]{}]/;

/**
 * Patterns of a sparse checkout for the paths and globs of an intent: these, and the files of the root. Null, which is
 * everything, when there are none, or when one of them can mean a file anywhere.
 */
export function sparsePatterns(paths: readonly string[]): readonly string[] | null {
  const patterns: string[] = [];
  for (const path of paths) {
    const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
    const [first] = segments;
    if (first === undefined || /[*?[\]{}]/.test(first)) return null;
    // Brackets and braces mean anything in their segment, as the colony reads them.
    const plain = segments.map((segment) => (choice.test(segment) ? '*' : segment.replace(/[\\!# ]/g, '\\$&')));
    patterns.push(`/${plain.join('/')}`);
  }
  return patterns.length === 0 ? null : ['/*', '!/*/', ...new Set(patterns)];
}

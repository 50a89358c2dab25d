// The project as the house rules see it: every file that git tracks or would track, with its text.
//
// Rules take a Project and never read the disk themselves, so each is tested on a project of two or three lines.
// Not here: syntax (syntax.ts), the rules (rules/).

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSyntax, type Syntax } from './syntax.ts';

/** What a code file is for; rules treat these differently. */
export type Role = 'source' | 'test' | 'bench' | 'tool' | 'example';

/** One file. `path` is relative to the root, with forward slashes. */
export type ProjectFile = { path: string; text: string; bytes: number };

/** One code file with its syntax. `package` is the folder under packages/, or undefined outside. */
export type CodeFile = ProjectFile & { role: Role; package: string | undefined; syntax: Syntax };

/** The parts of a package.json that rules read. */
export type Manifest = {
  name?: string;
  exports?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
};

/** All files of a project. Syntax and manifests are parsed when first asked for. */
export class Project {
  readonly files: ReadonlyMap<string, ProjectFile>;
  #code: CodeFile[] | undefined;

  constructor(files: Iterable<ProjectFile>) {
    this.files = new Map([...files].map((file) => [file.path, file]));
  }

  /** Every TypeScript and JavaScript file outside the test data. */
  code(): CodeFile[] {
    this.#code ??= [...this.files.values()]
      .filter((file) => /\.(ts|tsx|mts|mjs|js)$/.test(file.path) && !isTestData(file.path))
      .map((file) => ({
        ...file,
        role: roleOf(file.path),
        package: packageOf(file.path),
        syntax: parseSyntax(file.path, file.text),
      }));
    return this.#code;
  }

  /** The package.json of the folder `packages/<name>`, or of the root for undefined. Empty when there is none. */
  manifest(name: string | undefined): Manifest {
    const file = this.files.get(name === undefined ? 'package.json' : `packages/${name}/package.json`);
    return file === undefined ? {} : (JSON.parse(file.text) as Manifest);
  }

  /** The folders under packages/ that have a package.json. */
  packages(): string[] {
    const names = [...this.files.keys()].map((file) => /^packages\/([^/]+)\/package\.json$/.exec(file)?.[1]);
    return names.filter((name) => name !== undefined).sort();
  }
}

/** A project of a few files, for trying rules. */
export function projectOf(texts: Record<string, string>): Project {
  const entries = Object.entries(texts);
  return new Project(entries.map(([file, text]) => ({ path: file, text, bytes: Buffer.byteLength(text) })));
}

/** The project in the checkout at `root`: tracked files and those that git does not ignore, as they are on disk. */
export function readProject(root: string): Project {
  const listing = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  const names = [...new Set(listing.split('\0'))].filter((name) => name !== '' && existsSync(path.join(root, name)));
  return new Project(
    names.map((name) => {
      const bytes = readFileSync(path.join(root, name));
      return { path: name, text: bytes.toString('utf8'), bytes: bytes.length };
    }),
  );
}

/** Recorded inputs and outputs of tests: other people's text, to which the rules about ours do not apply. */
export function isTestData(file: string): boolean {
  return /(^|\/)tests\/(data|golden)\//.test(file);
}

/** The number of the line that holds the character at `offset`, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function packageOf(file: string): string | undefined {
  return /^packages\/([^/]+)\//.exec(file)?.[1];
}

function roleOf(file: string): Role {
  if (/(\.test|\.fixture|[-/]contract)\.tsx?$/.test(file) || /(^|\/)(tests?|testing|fixtures)\//.test(file))
    return 'test';
  if (/^packages\/[^/]+\/bench\//.test(file)) return 'bench';
  if (file.startsWith('packages/')) return 'source';
  return file.startsWith('examples/') ? 'example' : 'tool';
}

// What may be in the repository at all.

import { isTestData, lineAt, type Project } from '../project.ts';
import { type Finding, findingOn, type Rule } from '../rule.ts';
import { literalText, walk } from '../syntax.ts';

/** Everything that may stand at the root. Working notes and output have no place there. */
const topLevel = new Set([
  '.ci',
  '.gitattributes',
  '.github',
  '.gitignore',
  '.npmrc',
  'AGENTS.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'bench',
  'biome.json',
  'docs',
  'examples',
  'package-lock.json',
  'package.json',
  'packages',
  'tests',
  'tools',
  'tsconfig.json',
  'vitest.config.ts',
]);

function checkTopLevel(project: Project): Finding[] {
  const names = new Set([...project.files.keys()].map((file) => file.split('/')[0] ?? file));
  const unknown = [...names].filter((name) => !topLevel.has(name));
  return unknown.map((name) =>
    findingOn(name, 1, `move '${name}' to where it belongs, or list it in rules/repository.ts`),
  );
}

// Written so that this file does not contain what it looks for.
const registryHost = new RegExp(['registry', '(npmjs|yarnpkg|npmmirror)', '(org|com)'].join(String.raw`\.`), 'i');

function checkRegistries(project: Project): Finding[] {
  const findings: Finding[] = [];
  for (const file of project.files.values()) {
    if (isTestData(file.path)) continue;
    const named = registryHost.exec(file.text);
    if (named !== null) {
      findings.push(
        findingOn(file.path, lineAt(file.text, named.index), "leave the registry to npm's own configuration"),
      );
    }
    const resolved = file.path === 'package-lock.json' ? /"resolved": "\w+:/.exec(file.text) : null;
    if (resolved !== null) {
      const message = 'write the lock file without addresses: npm install with the .npmrc of the root';
      findings.push(findingOn(file.path, lineAt(file.text, resolved.index), message));
    }
  }
  return findings;
}

/** Files that something outside the code names: entries of packages, and what the entry script or npm starts. */
function isEntry(file: string, started: string): boolean {
  return /\/(index|main)\.ts$/.test(file) || started.includes(file.replace(/^packages\/[^/]+\//, ''));
}

function checkUnused(project: Project): Finding[] {
  const code = project.code();
  const named = new Set<string>();
  for (const file of code) {
    walk(file.syntax.program, (node) => {
      const text = literalText(node);
      if (text !== undefined) named.add(text.split('/').at(-1) ?? '');
    });
  }
  const manifests = project
    .packages()
    .map((folder) => project.files.get(`packages/${folder}/package.json`)?.text ?? '');
  const started = manifests.join('\n');
  const sources = code.filter(
    (file) => file.package !== undefined && file.role === 'source' && file.path.includes('/src/'),
  );
  const unused = sources.filter(
    (file) => !named.has(file.path.split('/').at(-1) ?? '') && !isEntry(file.path, started),
  );
  return unused.map((file) => findingOn(file.path, 1, 'nothing names this file: use it or remove it'));
}

/** The rules about the repository. */
export const repositoryRules: readonly Rule[] = [
  {
    id: 'H24',
    title: 'The root holds only what is listed.',
    why: 'A repository is not a desk.',
    check: checkTopLevel,
  },
  {
    id: 'H25',
    title: 'No file names the address of a package registry.',
    why: 'Everybody installs from the mirror that their own npm is set to.',
    check: checkRegistries,
  },
  {
    id: 'H26',
    title: 'A source file is named by another file.',
    why: 'Code that nothing reaches is not tested, only kept.',
    check: checkUnused,
  },
];

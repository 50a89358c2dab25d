// Who may import whom: the table of layers.ts and the library list of ARCHITECTURE.md.

import path from 'node:path';
import { layers, testLibraries, testMay } from '../layers.ts';
import type { CodeFile, Manifest, Project } from '../project.ts';
import { type Finding, findingAt, findingOn, type Rule } from '../rule.ts';
import type { ImportUse } from '../syntax.ts';

/** The package that a bare specifier names: `@scope/name` or `name`. Undefined for relative and `node:` specifiers. */
function libraryOf(specifier: string): string | undefined {
  if (/^[./]|^node:|^#/.test(specifier)) return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function ownPackages(project: Project): Map<string, string> {
  const names = project.packages().map((folder) => [project.manifest(folder).name ?? folder, folder] as const);
  return new Map(names);
}

function isTesting(file: CodeFile): boolean {
  return file.role === 'test' || file.role === 'bench';
}

/** Runs `judge` on every import in the packages. */
function eachImport(project: Project, judge: (file: CodeFile, use: ImportUse) => string | undefined): Finding[] {
  const findings: Finding[] = [];
  for (const file of project.code()) {
    for (const use of file.syntax.imports) {
      const message = judge(file, use);
      if (message !== undefined) findings.push(findingAt(file, use, message, use.specifier));
    }
  }
  return findings;
}

function checkTable(project: Project): Finding[] {
  const own = ownPackages(project);
  const unlisted = project.packages().filter((folder) => layers[folder] === undefined);
  const findings = unlisted.map((folder) =>
    findingOn(`packages/${folder}/package.json`, 1, `add '${folder}' to tools/tidy/layers.ts and ARCHITECTURE.md`),
  );
  const imports = eachImport(project, (file, use) => {
    const folder = own.get(libraryOf(use.specifier) ?? '');
    if (folder === undefined || file.package === undefined || folder === file.package) return undefined;
    const may = layers[file.package]?.may ?? [];
    if (may.includes(folder) || (isTesting(file) && testMay.includes(folder))) return undefined;
    return `${file.package} may import ${may.join(', ') || 'nothing'}, not ${folder}; move the code or pass it through a port`;
  });
  return [...findings, ...imports];
}

function checkDepth(project: Project): Finding[] {
  const own = ownPackages(project);
  return eachImport(project, (file, use) => {
    if (use.specifier.startsWith('.') && file.package !== undefined) {
      const target = path.posix.join(path.posix.dirname(file.path), use.specifier);
      // The command's shim runs before packages are installed, so it reaches the entry by its path.
      const shim = file.path.startsWith('packages/cli/bin/') && target.startsWith('tools/entry/');
      const support = file.role === 'test' && target.startsWith('tests/');
      if (target.startsWith(`packages/${file.package}/`) || shim || support) return undefined;
      return `import another package by its name, not as ${use.specifier}`;
    }
    const library = libraryOf(use.specifier);
    const folder = own.get(library ?? '');
    if (folder === undefined || library === undefined) return undefined;
    const subpath = `.${use.specifier.slice(library.length)}`;
    const declared = project.manifest(folder).exports ?? {};
    if (declared[subpath] !== undefined) return undefined;
    return `import ${library} through what its package.json exports, not ${use.specifier}`;
  });
}

function checkNode(project: Project): Finding[] {
  return eachImport(project, (file, use) => {
    if (!use.specifier.startsWith('node:') || file.package === undefined || isTesting(file)) return undefined;
    if (layers[file.package]?.node !== false) return undefined;
    return `${file.package} knows nothing of Node; ask for ${use.specifier} through a port`;
  });
}

function isDeclared(manifest: Manifest, library: string): boolean {
  return manifest.dependencies?.[library] !== undefined || manifest.devDependencies?.[library] !== undefined;
}

/** Rows of the library table in ARCHITECTURE.md as `package library`, with the line of each. */
function libraryRows(project: Project): Map<string, number> {
  const rows = new Map<string, number>();
  const lines = (project.files.get('ARCHITECTURE.md')?.text ?? '').split('\n');
  const start = lines.indexOf('## Third-party packages');
  for (let index = start + 1; start !== -1 && index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (line.startsWith('## ')) break;
    const row = /^\|\s*`([^`]+)`\s*\|\s*`([^`]+)`\s*\|\s*\S.*\|\s*$/.exec(line);
    if (row !== null) rows.set(`${row[1]} ${row[2]}`, index + 1);
  }
  return rows;
}

function checkLibraries(project: Project): Finding[] {
  const own = ownPackages(project);
  const findings = eachImport(project, (file, use) => {
    const library = libraryOf(use.specifier);
    if (library === undefined) return undefined;
    const root = project.manifest(undefined);
    const mayUseRoot = file.package === undefined || (isTesting(file) && testLibraries.includes(library));
    if (isDeclared(project.manifest(file.package), library) || (mayUseRoot && isDeclared(root, library)))
      return undefined;
    if (file.package === undefined && own.has(library)) return undefined;
    return `add ${library} to the package.json of this file's package, or do without it`;
  });
  const rows = libraryRows(project);
  for (const folder of [undefined, ...project.packages()]) {
    const manifest = project.manifest(folder);
    const place = folder === undefined ? 'package.json' : `packages/${folder}/package.json`;
    for (const [library, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      if (!/^\d+\.\d+\.\d+/.test(version))
        findings.push(findingOn(place, 1, `give ${library} an exact version`, library));
      if (own.has(library)) continue;
      const row = `${folder ?? 'workspace'} ${library}`;
      const advice = `give the reason for ${library} in ARCHITECTURE.md: | \`${folder ?? 'workspace'}\` | \`${library}\` | why |`;
      if (!rows.delete(row)) findings.push(findingOn(place, 1, advice, library));
    }
  }
  for (const [row, line] of rows)
    findings.push(findingOn('ARCHITECTURE.md', line, `remove '${row}': it is not declared`, row));
  return findings;
}

/** The rules about imports. */
export const importRules: readonly Rule[] = [
  {
    id: 'H1',
    title: 'A package imports only what the table of layers allows.',
    why: 'The pure middle stays pure, and every dependency points one way.',
    check: checkTable,
  },
  {
    id: 'H2',
    title: "A package is imported by name, through its package.json's exports.",
    why: 'What is not exported can change without asking anybody.',
    check: checkDepth,
  },
  {
    id: 'H3',
    title: 'Modules of Node are imported only where the table allows it.',
    why: 'The same code runs in the daemon, in the simulator and in places without Node.',
    check: checkNode,
  },
  {
    id: 'H4',
    title: 'A third-party package is declared with an exact version and a reason.',
    why: 'Each library is a decision; an undeclared one works by accident.',
    check: checkLibraries,
  },
];

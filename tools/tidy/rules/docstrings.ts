// Docstrings on what a package gives to others.

import path from 'node:path';
import type { CodeFile, Project } from '../project.ts';
import { lineAt } from '../project.ts';
import { type Finding, findingAt, type Rule } from '../rule.ts';
import { childOf, childrenOf, nameOf, type SyntaxNode } from '../syntax.ts';

/** The docstring that ends right before `node`, if there is one. */
function docstringBefore(file: CodeFile, node: SyntaxNode): boolean {
  const before = file.syntax.comments.findLast((comment) => comment.end <= node.start);
  if (before === undefined || before.type !== 'Block' || !before.value.startsWith('*')) return false;
  return file.text.slice(before.end, node.start).trim() === '';
}

/** Whether a type says what it means member by member, which for a union is better than one docstring above it. */
function documentsMembers(file: CodeFile, node: SyntaxNode): boolean {
  const declaration = childOf(node, 'declaration') ?? node;
  if (declaration.type !== 'TSTypeAliasDeclaration' && declaration.type !== 'TSInterfaceDeclaration') return false;
  return file.syntax.comments.some((comment) => comment.start > node.start && comment.end < node.end);
}

function declaredName(node: SyntaxNode): string {
  const declaration = childOf(node, 'declaration');
  return (
    nameOf(childOf(declaration, 'id')) ?? nameOf(childOf(childrenOf(declaration, 'declarations')[0], 'id')) ?? 'default'
  );
}

/** Declarations that carry the names listed in `export { … }` without a source. */
function listedDeclarations(program: SyntaxNode): SyntaxNode[] {
  const listed = new Set<string>();
  for (const node of childrenOf(program, 'body')) {
    if (node.type !== 'ExportNamedDeclaration' || childOf(node, 'source') !== undefined) continue;
    for (const entry of childrenOf(node, 'specifiers')) listed.add(nameOf(childOf(entry, 'local')) ?? '');
  }
  return childrenOf(program, 'body').filter((node) => {
    const name = nameOf(childOf(node, 'id')) ?? nameOf(childOf(childrenOf(node, 'declarations')[0], 'id'));
    return name !== undefined && listed.has(name);
  });
}

/** Whether a type only names what is taken from another type or value, and so means what that means. */
function isDerived(node: SyntaxNode): boolean {
  const declaration = childOf(node, 'declaration') ?? node;
  const type = declaration.type === 'TSTypeAliasDeclaration' ? childOf(declaration, 'typeAnnotation') : undefined;
  return ['TSTypeReference', 'TSIndexedAccessType', 'TSTypeOperator', 'TSTypeQuery'].includes(type?.type ?? '');
}

/** Names that the entry files of packages export, by the file that declares them; `*` stands for all. */
function exportedNames(project: Project): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const add = (file: string, name: string) => found.set(file, (found.get(file) ?? new Set()).add(name));
  const entries = project.packages().flatMap((folder) => {
    return Object.values(project.manifest(folder).exports ?? {}).map((entry) =>
      path.posix.join('packages', folder, entry),
    );
  });
  for (const file of project.code().filter((code) => entries.includes(code.path))) {
    add(file.path, '*');
    for (const node of childrenOf(file.syntax.program, 'body')) {
      const source = childOf(node, 'source')?.value;
      if (typeof source !== 'string' || !source.startsWith('.')) continue;
      const target = path.posix.join(path.posix.dirname(file.path), source);
      if (node.type === 'ExportAllDeclaration') add(target, '*');
      if (node.type !== 'ExportNamedDeclaration') continue;
      for (const entry of childrenOf(node, 'specifiers')) add(target, nameOf(childOf(entry, 'local')) ?? '*');
    }
  }
  return found;
}

function checkFile(file: CodeFile, wanted: (name: string) => boolean): Finding[] {
  const findings: Finding[] = [];
  const body = childrenOf(file.syntax.program, 'body');
  let documented = new Set<string>();
  const listed = new Set(listedDeclarations(file.syntax.program));
  for (const [index, node] of body.entries()) {
    const exported = node.type === 'ExportDefaultDeclaration' || childOf(node, 'declaration') !== undefined;
    if (!exported && !listed.has(node)) continue;
    const name = listed.has(node) ? (nameOf(childOf(node, 'id')) ?? 'list') : declaredName(node);
    // One docstring covers a block of one-line exports that stand together, and every overload of a function.
    const previous = body[index - 1];
    const together = previous !== undefined && lineAt(file.text, node.start) === lineAt(file.text, previous.end) + 1;
    const covered = documented.has(name) || (together && documented.size > 0);
    if (docstringBefore(file, node) || documentsMembers(file, node)) documented = new Set([name]);
    else if (covered) documented.add(name);
    else {
      documented = new Set();
      if (!wanted(name) || isDerived(node)) continue;
      findings.push(findingAt(file, node, `say what ${name} means, its units and its errors, in a docstring`, name));
    }
  }
  return findings;
}

function checkDocstrings(project: Project): Finding[] {
  const names = exportedNames(project);
  return project.code().flatMap((file) => {
    if (file.path.startsWith('tools/tidy/') && file.role === 'tool') return checkFile(file, () => true);
    const own = names.get(file.path);
    return own === undefined ? [] : checkFile(file, (name) => own.has(name) || own.has('*'));
  });
}

/** The rule about docstrings. */
export const docstringRule: Rule = {
  id: 'H16',
  title: 'What a package exports has a docstring.',
  why: 'Meaning, units and errors are part of the interface.',
  check: checkDocstrings,
};

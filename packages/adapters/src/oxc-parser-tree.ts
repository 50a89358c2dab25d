// A walk over oxc's syntax tree that knows no node by heart: where opaque tokens and unwritten semicolons are, and which
// other modules the text names.
//
// It never knows what a module exports. Nodes are read by their shape, since the walk meets every kind there is.
//
// Invariants:
//   OT1. The walk uses no recursion: a tree may be as deep as the text is long.
//   OT2. Marks come in order of their start, as `scanTokens` wants them.

import type { ModuleImport, SourceMark } from '@firetrident/content';
import type { Comment } from 'oxc-parser';

/** A node of the tree. Offsets are UTF-16 units. */
export interface TreeNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Whether a value of the tree is a node. */
export function isNode(value: unknown): value is TreeNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The node in a field; null when the field is empty or holds something else. */
export function nodeAt(node: TreeNode, field: string): TreeNode | null {
  const value = node[field];
  return isNode(value) ? value : null;
}

/** The nodes of a list in a field; gaps, as in `[, a]`, are left out. */
export function nodesAt(node: TreeNode, field: string): readonly TreeNode[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter((each) => isNode(each)) : [];
}

/** The text that a string literal stands for; null for any other node. */
export function stringOf(node: TreeNode | null): string | null {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type !== 'TemplateLiteral' || nodesAt(node, 'expressions').length > 0) return null;
  const cooked: unknown = (nodesAt(node, 'quasis')[0]?.value as { cooked?: unknown } | undefined)?.cooked;
  return typeof cooked === 'string' ? cooked : null;
}

/** The name of an identifier, or the text of a string that stands for one (`export { a as 'b c' }`). */
export function nameAt(node: TreeNode, field: string): string | null {
  const name = nodeAt(node, field);
  return typeof name?.name === 'string' ? name.name : stringOf(name);
}

// Statements and members that end in a semicolon, or in a line break that stands for one.
const endedKinds = new Set([
  'ExpressionStatement',
  'VariableDeclaration',
  'ReturnStatement',
  'ThrowStatement',
  'BreakStatement',
  'ContinueStatement',
  'DebuggerStatement',
  'DoWhileStatement',
  'ImportDeclaration',
  'ExportAllDeclaration',
  'PropertyDefinition',
  'AccessorProperty',
  'TSAbstractPropertyDefinition',
  'TSAbstractAccessorProperty',
  'TSAbstractMethodDefinition',
  'TSDeclareFunction',
  'TSTypeAliasDeclaration',
  'TSImportEqualsDeclaration',
  'TSExportAssignment',
  'TSNamespaceExportDeclaration',
  'TSPropertySignature',
  'TSMethodSignature',
  'TSIndexSignature',
  'TSCallSignatureDeclaration',
  'TSConstructSignatureDeclaration',
]);

/** The declaration in the head of a loop, which ends nothing. */
function headOf(loop: TreeNode): TreeNode | null {
  if (loop.type === 'ForStatement') return nodeAt(loop, 'init');
  return loop.type === 'ForInStatement' || loop.type === 'ForOfStatement' ? nodeAt(loop, 'left') : null;
}

function isEnded(node: TreeNode): boolean {
  if (endedKinds.has(node.type)) return true;
  // Those around a declaration end with it.
  if (node.type === 'ExportNamedDeclaration') return nodeAt(node, 'declaration') === null;
  if (node.type === 'ExportDefaultDeclaration')
    return !/Declaration$|^TSDeclareFunction$/.test(nodeAt(node, 'declaration')?.type ?? '');
  return node.type === 'MethodDefinition' && nodeAt(nodeAt(node, 'value') ?? node, 'body') === null;
}

function pushMarks(text: string, node: TreeNode, isHead: boolean, marks: SourceMark[]): void {
  const { start, end } = node;
  if (node.type === 'Literal' || node.type === 'TemplateElement' || node.type === 'Hashbang')
    marks.push({ kind: 'opaque', start, end });
  else if (node.type === 'JSXText') marks.push({ kind: 'markup', start, end });
  else if (!isHead && isEnded(node)) {
    const last = text.charAt(end - 1);
    if (last !== ';' && last !== ',') marks.push({ kind: 'end', start: end, end });
  }
}

function importedNames(specifiers: readonly TreeNode[], nameField: 'imported' | 'local'): readonly string[] {
  return specifiers.map((specifier) => {
    if (specifier.type === 'ImportDefaultSpecifier') return 'default';
    if (specifier.type === 'ImportNamespaceSpecifier') return '*';
    return nameAt(specifier, nameField) ?? '*';
  });
}

/** The leftmost name of `A.B.C`; null when there is none. */
function firstName(node: TreeNode | null): string | null {
  let current = node;
  while (current?.type === 'TSQualifiedName') current = nodeAt(current, 'left');
  return typeof current?.name === 'string' ? current.name : null;
}

function isRequire(node: TreeNode): boolean {
  const callee = nodeAt(node, 'callee');
  return callee?.type === 'Identifier' && callee.name === 'require';
}

/** What a node takes from another module; null for a node that names none. */
function importOf(node: TreeNode): ModuleImport | null {
  const source = stringOf(nodeAt(node, 'source'));
  switch (node.type) {
    case 'ImportDeclaration':
      return source === null
        ? null
        : { specifier: source, names: importedNames(nodesAt(node, 'specifiers'), 'imported') };
    case 'ExportNamedDeclaration':
      return source === null ? null : { specifier: source, names: importedNames(nodesAt(node, 'specifiers'), 'local') };
    case 'ExportAllDeclaration':
    case 'ImportExpression':
      return source === null ? null : { specifier: source, names: ['*'] };
    case 'TSImportType':
      return source === null ? null : { specifier: source, names: [firstName(nodeAt(node, 'qualifier')) ?? '*'] };
    case 'TSExternalModuleReference': {
      const specifier = stringOf(nodeAt(node, 'expression'));
      return specifier === null ? null : { specifier, names: ['*'] };
    }
    case 'CallExpression': {
      const specifier = isRequire(node) ? stringOf(nodesAt(node, 'arguments')[0] ?? null) : null;
      return specifier === null ? null : { specifier, names: ['*'] };
    }
    default:
      return null;
  }
}

function commentMarks(comments: readonly Comment[]): readonly SourceMark[] {
  return comments.map(({ start, end }) => ({ kind: 'comment', start, end }));
}

/** What the walk over a program finds. */
export interface TreeFindings {
  /** In order of start (OT2). */
  readonly marks: readonly SourceMark[];
  /** In order of the text. */
  readonly imports: readonly ModuleImport[];
}

/** Walks the whole program of `text` (OT1). */
export function walkTree(text: string, program: TreeNode, comments: readonly Comment[]): TreeFindings {
  const marks: SourceMark[] = [...commentMarks(comments)];
  const imports: { readonly start: number; readonly found: ModuleImport }[] = [];
  const ends = new Set<number>();
  const heads = new Set<TreeNode | null>();
  const pending: unknown[] = [program];
  while (pending.length > 0) {
    const value = pending.pop();
    if (Array.isArray(value)) {
      for (const each of value) pending.push(each);
    } else if (isNode(value)) {
      heads.add(headOf(value));
      pushMarks(text, value, heads.has(value), marks);
      const found = importOf(value);
      if (found !== null) imports.push({ start: value.start, found });
      // A literal's own fields are values, one of them a regular expression's parts.
      if (value.type === 'Literal') continue;
      for (const field of Object.values(value)) if (typeof field === 'object' && field !== null) pending.push(field);
    }
  }
  marks.sort((left, right) => left.start - right.start || left.end - right.end);
  imports.sort((left, right) => left.start - right.start);
  // Nested nodes may end at one place, which is one end.
  const once = marks.filter((mark) => mark.kind !== 'end' || (!ends.has(mark.start) && ends.add(mark.start)));
  return { marks: once, imports: imports.map(({ found }) => found) };
}

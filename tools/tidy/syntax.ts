// What the house rules need to know of a code file's syntax, taken from the parser's tree and never from its text, so that
// comments and strings cannot be mistaken for code.

import { parseSync } from 'oxc-parser';

/** A node of the tree in ESTree form. Offsets count UTF-16 units. */
export type SyntaxNode = { type: string; start: number; end: number; [key: string]: unknown };

/** One comment. `value` is without its marks. */
export type SyntaxComment = { type: 'Line' | 'Block'; value: string; start: number; end: number };

/** A module that the file names in an import, a re-export, an `import()` or an import type. */
export type ImportUse = { specifier: string; start: number; typeOnly: boolean; names: string[] };

/** A parsed file. `problem` is set when it does not parse; the tree is then empty. */
export type Syntax = {
  program: SyntaxNode;
  comments: SyntaxComment[];
  imports: ImportUse[];
  boundNames: ReadonlySet<string>;
  problem: string | undefined;
};

/** A visit of one node. `parents` runs from the root to the parent; `key` is the parent's field that holds the node. */
export type Visit = (node: SyntaxNode, parents: SyntaxNode[], key: string) => void;

/** Parses one file. The language is taken from the ending of `path`. */
export function parseSyntax(path: string, text: string): Syntax {
  const parsed = parseSync(path, text);
  const program = parsed.program as unknown as SyntaxNode;
  const syntax: Syntax = {
    program,
    comments: parsed.comments as SyntaxComment[],
    imports: [],
    boundNames: new Set(),
    problem: parsed.errors.find((error) => error.severity === 'Error')?.message,
  };
  const bound = new Set<string>();
  walk(program, (node, parents, key) => {
    collectImport(node, syntax.imports);
    if (isBinding(node, parents, key)) bound.add(String(node.name));
  });
  return { ...syntax, boundNames: bound };
}

/** Visits `node` and everything below it, parents first. */
export function walk(node: SyntaxNode, visit: Visit, parents: SyntaxNode[] = [], key = ''): void {
  visit(node, parents, key);
  parents.push(node);
  for (const [name, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit, parents, name);
  }
  parents.pop();
}

/** The node in field `name`, when there is one. */
export function childOf(node: SyntaxNode | undefined, name: string): SyntaxNode | undefined {
  const value = node?.[name];
  return isNode(value) ? value : undefined;
}

/** The nodes in the list field `name`. */
export function childrenOf(node: SyntaxNode | undefined, name: string): SyntaxNode[] {
  const value = node?.[name];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The name of an identifier, private or not; undefined for any other node. */
export function nameOf(node: SyntaxNode | undefined): string | undefined {
  return node?.type === 'Identifier' || node?.type === 'PrivateIdentifier' ? String(node.name) : undefined;
}

/** The property that a member expression reads: `now` for `Date.now` and for `Date['now']`. */
export function propertyOf(node: SyntaxNode): string | undefined {
  const property = childOf(node, 'property');
  if (node.computed !== true) return nameOf(property);
  return property?.type === 'Literal' ? String(property.value) : undefined;
}

/** The identifier at the root of a call's function: `it` for `it('x')`, `it.each([])('x')` and `it.skipIf(y)('x')`. */
export function calleeRoot(node: SyntaxNode): string | undefined {
  let callee = childOf(node, 'callee');
  while (callee !== undefined && callee.type !== 'Identifier') {
    callee = childOf(callee, 'object') ?? childOf(callee, 'callee') ?? childOf(callee, 'tag');
  }
  return nameOf(callee);
}

/** The text of a string or of the fixed parts of a template; undefined for any other node. */
export function literalText(node: SyntaxNode | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type !== 'TemplateLiteral') return undefined;
  const quasis = childrenOf(node, 'quasis').map((quasi) => (quasi.value as { cooked: string }).cooked);
  return quasis.join('…');
}

/** Names of the tests and groups in a test file, with the offset of each. */
export function testNames(syntax: Syntax): { name: string; start: number }[] {
  const names: { name: string; start: number }[] = [];
  walk(syntax.program, (node) => {
    if (node.type !== 'CallExpression' || !['it', 'test', 'describe'].includes(calleeRoot(node) ?? '')) return;
    const name = literalText(childrenOf(node, 'arguments')[0]);
    if (name !== undefined) names.push({ name, start: node.start });
  });
  return names;
}

/** Whether an identifier stands for a value in scope, rather than being a key, a label or part of a type. */
export function isReference(node: SyntaxNode, parent: SyntaxNode | undefined, key: string): boolean {
  if (node.type !== 'Identifier' || parent === undefined) return false;
  if (key === 'property' || key === 'key') return parent.computed === true || parent.shorthand === true;
  if (parent.type === 'TSTypeReference' || parent.type === 'TSQualifiedName') return false;
  return !['ImportSpecifier', 'ExportSpecifier', 'LabeledStatement', 'TSInterfaceHeritage'].includes(parent.type);
}

function collectImport(node: SyntaxNode, imports: ImportUse[]): void {
  const specifier = literalText(childOf(node, 'source') ?? childOf(node, 'argument'));
  const named = [
    'ImportDeclaration',
    'ExportNamedDeclaration',
    'ExportAllDeclaration',
    'ImportExpression',
    'TSImportType',
  ];
  if (specifier === undefined || !named.includes(node.type)) return;
  const typeOnly = node.importKind === 'type' || node.exportKind === 'type' || node.type === 'TSImportType';
  const names = childrenOf(node, 'specifiers').map((entry) => nameOf(childOf(entry, 'imported')) ?? 'default');
  imports.push({ specifier, start: node.start, typeOnly, names });
}

const bindingKeys = new Set(['id', 'params', 'param', 'local', 'parameter']);
const patternKeys: Record<string, string> = {
  ArrayPattern: 'elements',
  RestElement: 'argument',
  AssignmentPattern: 'left',
};

/** Whether an identifier introduces a name. Coarse on purpose: a name bound anywhere in a file counts for all of it. */
function isBinding(node: SyntaxNode, parents: SyntaxNode[], key: string): boolean {
  const parent = parents.at(-1);
  if (node.type !== 'Identifier' || parent === undefined) return false;
  if (bindingKeys.has(key)) return parent.type !== 'ExportSpecifier';
  if (parent.type === 'Property') return key === 'value' && parents.at(-2)?.type === 'ObjectPattern';
  return patternKeys[parent.type] === key;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';
}

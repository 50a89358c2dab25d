// The declarations at the top level of a module: which names they bind, and which parts of the text they are.
//
// It never knows what is exported, nor what a name means beyond its spelling.
//
// Invariants:
//   OD1. A piece covers the whole declaration of its names, save the words `export` and `default`, the declarators
//        beside it, and the semicolon behind it.
//   OD2. What a signature leaves out is the body of a function whose result type is written down, or the value of a
//        class field whose type is; nothing else.

import type { SourceRange } from '@firetrident/content';
import { nameAt, nodeAt, nodesAt, type TreeNode } from './oxc-parser-tree.ts';

/** One declaration as parts of the text. */
export interface DeclarationPiece {
  readonly included: readonly SourceRange[];
  /** What a signature leaves out (OD2); empty when the whole declaration is its own signature. */
  readonly omitted: readonly SourceRange[];
}

/** One name that a statement binds. */
export interface BoundName {
  readonly name: string;
  readonly piece: DeclarationPiece;
}

function rangeOf(text: string, node: TreeNode): SourceRange {
  const end = text.charAt(node.end - 1) === ';' ? node.end - 1 : node.end;
  return { start: node.start, end };
}

/** The text behind the written result type of a function, that is its arrow and body; empty when none is written. */
function behindResult(definition: TreeNode): readonly SourceRange[] {
  const result = nodeAt(definition, 'returnType');
  const body = nodeAt(definition, 'body');
  if (result === null || body === null) return [];
  // An arrow function's body may stand in parentheses that are no node.
  return [{ start: result.end, end: definition.end }];
}

function isFunction(node: TreeNode): boolean {
  return node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';
}

function omittedOfField(member: TreeNode): readonly SourceRange[] {
  const value = nodeAt(member, 'value');
  if (value === null) return [];
  const annotation = nodeAt(member, 'typeAnnotation');
  if (annotation !== null) return [{ start: annotation.end, end: value.end }];
  return isFunction(value) ? behindResult(value) : [];
}

function omittedOfMember(member: TreeNode): readonly SourceRange[] {
  if (member.type === 'PropertyDefinition' || member.type === 'AccessorProperty') return omittedOfField(member);
  const value = member.type === 'MethodDefinition' ? nodeAt(member, 'value') : null;
  const body = value === null ? null : nodeAt(value, 'body');
  if (value === null || body === null) return [];
  // Constructors and setters have no result.
  const hasResult = member.kind !== 'constructor' && member.kind !== 'set';
  return hasResult ? behindResult(value) : [{ start: body.start, end: body.end }];
}

function omittedOfClass(node: TreeNode): readonly SourceRange[] {
  const body = nodeAt(node, 'body');
  return body === null ? [] : nodesAt(body, 'body').flatMap((member) => omittedOfMember(member));
}

function omittedOf(node: TreeNode): readonly SourceRange[] {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return behindResult(node);
    case 'ClassDeclaration':
    case 'ClassExpression':
      return omittedOfClass(node);
    default:
      return [];
  }
}

/** The piece that a declaration or an exported expression is (OD1, OD2). */
export function pieceOf(text: string, node: TreeNode): DeclarationPiece {
  // Decorators may stand before the word `export`, outside the declaration.
  const decorators = nodesAt(node, 'decorators').map(({ start, end }) => ({ start, end }));
  return { included: [...decorators, rangeOf(text, node)], omitted: omittedOf(node) };
}

/** The patterns inside a pattern. */
function innerPatterns(pattern: TreeNode): readonly TreeNode[] {
  switch (pattern.type) {
    case 'ObjectPattern':
      return nodesAt(pattern, 'properties');
    case 'ArrayPattern':
      return nodesAt(pattern, 'elements');
    case 'Property':
      return nodesIn(pattern, 'value');
    case 'AssignmentPattern':
      return nodesIn(pattern, 'left');
    case 'RestElement':
      return nodesIn(pattern, 'argument');
    default:
      return [];
  }
}

function nodesIn(node: TreeNode, field: string): readonly TreeNode[] {
  const inner = nodeAt(node, field);
  return inner === null ? [] : [inner];
}

/** The names that a pattern binds, at any depth. */
function patternNames(pattern: TreeNode): readonly string[] {
  const names: string[] = [];
  const pending = [pattern];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.type === 'Identifier') names.push(next.name as string);
    pending.push(...innerPatterns(next));
  }
  return names;
}

function omittedOfDeclarator(declarator: TreeNode): readonly SourceRange[] {
  const value = nodeAt(declarator, 'init');
  if (value === null) return [];
  const annotation = nodeAt(nodeAt(declarator, 'id') ?? declarator, 'typeAnnotation');
  if (isFunction(value)) return annotation === null ? behindResult(value) : [{ start: annotation.end, end: value.end }];
  return value.type === 'ClassExpression' ? omittedOfClass(value) : [];
}

function variableNames(text: string, statement: TreeNode): readonly BoundName[] {
  const declarators = nodesAt(statement, 'declarations');
  const first = declarators[0];
  if (first === undefined) return [];
  // `const`, `let`, `declare const` and the like count for each of the names.
  const words = { start: statement.start, end: first.start };
  return declarators.flatMap((declarator) => {
    const piece = { included: [words, rangeOf(text, declarator)], omitted: omittedOfDeclarator(declarator) };
    const pattern = nodeAt(declarator, 'id');
    return pattern === null ? [] : patternNames(pattern).map((name) => ({ name, piece }));
  });
}

/** The first name of a namespace, which may be written `a.b.c`; null for `declare module 'text'` and `declare global`. */
function namespaceName(node: TreeNode): string | null {
  if (node.kind === 'global') return null;
  let id = nodeAt(node, 'id');
  while (id?.type === 'TSQualifiedName') id = nodeAt(id, 'left');
  return id?.type === 'Identifier' ? (id.name as string) : null;
}

/** The names that a statement at the top level binds; none for a statement that declares nothing. */
export function boundNames(text: string, statement: TreeNode): readonly BoundName[] {
  switch (statement.type) {
    case 'VariableDeclaration':
      return variableNames(text, statement);
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
    case 'ClassDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'TSEnumDeclaration':
    case 'TSImportEqualsDeclaration': {
      const name = nameAt(statement, 'id');
      return name === null ? [] : [{ name, piece: pieceOf(text, statement) }];
    }
    case 'TSModuleDeclaration': {
      const name = namespaceName(statement);
      return name === null ? [] : [{ name, piece: pieceOf(text, statement) }];
    }
    default:
      return [];
  }
}

// From oxc's syntax tree to the neutral module: what a text exports, hands on and imports.
//
// It never knows threads, limits or files; it runs where it is called.
//
// Invariants:
//   OM1. An exported name has every declaration that the top level has for its local name, in the order of the text.
//   OM2. A name that is imported and exported again is handed on, as if it were written `export { … } from`.

import {
  canonicalText,
  type ModuleExport,
  type ModuleStar,
  type ParsedModule,
  type SourceDeclaration,
  type SourceToken,
  scanTokens,
} from '@firetrident/content';
import { type OxcError, type ParserOptions, parseSync } from 'oxc-parser';
import { boundNames, type DeclarationPiece, pieceOf } from './oxc-parser-declarations.ts';
import { nameAt, nodeAt, nodesAt, stringOf, type TreeNode, walkTree } from './oxc-parser-tree.ts';

type Language = 'ts' | 'tsx' | 'dts' | 'js' | 'commonjs';

// JavaScript may hold tags whatever its ending, and may be a script or a module.
const languages: readonly (readonly [ending: string, language: Language])[] = [
  ['.d.ts', 'dts'],
  ['.d.mts', 'dts'],
  ['.d.cts', 'dts'],
  ['.ts', 'ts'],
  ['.mts', 'ts'],
  ['.cts', 'ts'],
  ['.tsx', 'tsx'],
  ['.js', 'js'],
  ['.jsx', 'js'],
  ['.mjs', 'js'],
  ['.cjs', 'commonjs'],
];

/** The language of a path by its ending; null when it is none of JavaScript's and TypeScript's. */
export function languageOf(path: string): Language | null {
  return languages.find(([ending]) => path.endsWith(ending))?.[1] ?? null;
}

function optionsOf(language: Language): ParserOptions {
  const shared = { astType: 'ts', preserveParens: false } as const;
  switch (language) {
    case 'ts':
    case 'tsx':
    case 'dts':
      return { ...shared, lang: language };
    case 'js':
      return { ...shared, lang: 'jsx', sourceType: 'unambiguous' };
    case 'commonjs':
      return { ...shared, lang: 'jsx', sourceType: 'commonjs' };
  }
}

/** What a local name is: an import, or declarations of this module. */
interface Locals {
  readonly declared: ReadonlyMap<string, readonly DeclarationPiece[]>;
  readonly imported: ReadonlyMap<string, Extract<ModuleExport, { kind: 'forwarded' }>>;
}

// Overloads of a default without a name. No identifier can be spelled so.
const namelessDefault = '*default*';

function addTo<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

function importedLocals(
  statement: TreeNode,
): readonly (readonly [string, Extract<ModuleExport, { kind: 'forwarded' }>])[] {
  const specifier = stringOf(nodeAt(statement, 'source'));
  if (specifier === null) return [];
  return nodesAt(statement, 'specifiers').map((each) => {
    const typeOnly = statement.importKind === 'type' || each.importKind === 'type';
    const isDefault = each.type === 'ImportDefaultSpecifier';
    const imported = isDefault ? 'default' : (nameAt(each, 'imported') ?? '*');
    return [nameAt(each, 'local') ?? '', { kind: 'forwarded', typeOnly, specifier, imported }];
  });
}

/** `import A = require('./a')` makes a name for all of another module. */
function requiredModule(statement: TreeNode): string | null {
  const reference = statement.type === 'TSImportEqualsDeclaration' ? nodeAt(statement, 'moduleReference') : null;
  return reference?.type === 'TSExternalModuleReference' ? stringOf(nodeAt(reference, 'expression')) : null;
}

function isDeclaration(node: TreeNode): boolean {
  return /^(?:Function|Class|TSInterface)Declaration$|^TSDeclareFunction$/.test(node.type);
}

/** The declaration that a statement is or wraps. */
function unwrapped(statement: TreeNode): TreeNode {
  return nodeAt(statement, 'declaration') ?? statement;
}

function localsOf(text: string, body: readonly TreeNode[]): Locals {
  const declared = new Map<string, DeclarationPiece[]>();
  const imported = new Map<string, Extract<ModuleExport, { kind: 'forwarded' }>>();
  for (const statement of body) {
    const inner = unwrapped(statement);
    const specifier = requiredModule(inner);
    if (statement.type === 'ImportDeclaration') {
      for (const [local, target] of importedLocals(statement)) imported.set(local, target);
    } else if (specifier !== null) {
      imported.set(nameAt(inner, 'id') ?? '', { kind: 'forwarded', typeOnly: false, specifier, imported: '*' });
    } else {
      for (const { name, piece } of boundNames(text, inner)) addTo(declared, name, piece);
    }
    if (statement.type === 'ExportDefaultDeclaration' && isDeclaration(inner) && nameAt(inner, 'id') === null) {
      addTo(declared, namelessDefault, pieceOf(text, inner));
    }
  }
  return { declared, imported };
}

interface Gathering {
  readonly text: string;
  readonly tokens: readonly SourceToken[];
  readonly locals: Locals;
  readonly exports: Map<string, ModuleExport[]>;
  readonly stars: ModuleStar[];
  /** Local names that are exported already, by exported name. */
  readonly done: Set<string>;
}

function declarationOf(tokens: readonly SourceToken[], piece: DeclarationPiece): SourceDeclaration {
  const whole = canonicalText(tokens, piece.included);
  if (piece.omitted.length === 0) return { tokens: whole, signature: null };
  return { tokens: whole, signature: canonicalText(tokens, piece.included, piece.omitted) };
}

/** Exports a local name (OM1, OM2). A name that is neither declared nor imported is not exported, so nobody finds it. */
function exportLocal(gathering: Gathering, name: string, local: string, typeOnly: boolean): boolean {
  // Each overload and each merged declaration comes by here, all for the same entry.
  const key = `${name}\0${local}`;
  if (gathering.done.has(key)) return true;
  const { declared, imported } = gathering.locals;
  const pieces = declared.get(local);
  const target = imported.get(local);
  if (pieces === undefined && target === undefined) return false;
  gathering.done.add(key);
  if (pieces !== undefined) {
    const declarations = pieces.map((piece) => declarationOf(gathering.tokens, piece));
    addTo(gathering.exports, name, { kind: 'declared', typeOnly, declarations });
  }
  if (target !== undefined) {
    addTo(gathering.exports, name, { ...target, typeOnly: typeOnly || target.typeOnly });
  }
  return true;
}

function exportExpression(gathering: Gathering, expression: TreeNode): void {
  const name = expression.type === 'Identifier' ? (expression.name as string) : null;
  if (name !== null && exportLocal(gathering, 'default', name, false)) return;
  const declarations = [declarationOf(gathering.tokens, pieceOf(gathering.text, expression))];
  addTo(gathering.exports, 'default', { kind: 'declared', typeOnly: false, declarations });
}

function exportNamed(gathering: Gathering, statement: TreeNode): void {
  const declaration = nodeAt(statement, 'declaration');
  if (declaration !== null) {
    const required = requiredModule(declaration) === null ? null : nameAt(declaration, 'id');
    if (required !== null) exportLocal(gathering, required, required, false);
    for (const { name } of boundNames(gathering.text, declaration)) exportLocal(gathering, name, name, false);
    return;
  }
  const specifier = stringOf(nodeAt(statement, 'source'));
  for (const each of nodesAt(statement, 'specifiers')) {
    const local = nameAt(each, 'local');
    const name = nameAt(each, 'exported');
    if (local === null || name === null) continue;
    const typeOnly = statement.exportKind === 'type' || each.exportKind === 'type';
    if (specifier === null) exportLocal(gathering, name, local, typeOnly);
    else addTo(gathering.exports, name, { kind: 'forwarded', typeOnly, specifier, imported: local });
  }
}

function exportDefault(gathering: Gathering, statement: TreeNode): void {
  const declaration = nodeAt(statement, 'declaration');
  if (declaration === null) return;
  if (isDeclaration(declaration))
    exportLocal(gathering, 'default', nameAt(declaration, 'id') ?? namelessDefault, false);
  else exportExpression(gathering, declaration);
}

function exportAll(gathering: Gathering, statement: TreeNode): void {
  const specifier = stringOf(nodeAt(statement, 'source'));
  if (specifier === null) return;
  const typeOnly = statement.exportKind === 'type';
  const name = nameAt(statement, 'exported');
  if (name === null) gathering.stars.push({ specifier, typeOnly });
  else addTo(gathering.exports, name, { kind: 'forwarded', typeOnly, specifier, imported: '*' });
}

function gather(gathering: Gathering, body: readonly TreeNode[]): void {
  for (const statement of body) {
    switch (statement.type) {
      case 'ExportNamedDeclaration':
        exportNamed(gathering, statement);
        break;
      case 'ExportDefaultDeclaration':
        exportDefault(gathering, statement);
        break;
      case 'ExportAllDeclaration':
        exportAll(gathering, statement);
        break;
      case 'TSExportAssignment': {
        // `export = value` is what a default import of the module gets.
        const value = nodeAt(statement, 'expression');
        if (value !== null) exportExpression(gathering, value);
        break;
      }
    }
  }
}

function failureOf(text: string, error: OxcError): ParsedModule {
  const start = error.labels[0]?.start;
  const line = start === undefined ? null : text.slice(0, start).split('\n').length;
  return { ok: false, reason: 'syntax', message: error.message, line };
}

function parseAs(text: string, language: Language): ParsedModule {
  const result = parseSync(`module.${language === 'commonjs' ? 'cjs' : language}`, text, optionsOf(language));
  const error = result.errors.find(({ severity }) => severity === 'Error');
  if (error !== undefined) return failureOf(text, error);
  const program = result.program as unknown as TreeNode;
  const body = nodesAt(program, 'body');
  const { marks, imports } = walkTree(text, program, result.comments);
  const tokens = scanTokens(text, marks);
  const locals = localsOf(text, body);
  const gathering: Gathering = { text, tokens, locals, exports: new Map(), stars: [], done: new Set() };
  gather(gathering, body);
  const whole = canonicalText(tokens, [{ start: 0, end: text.length + 1 }]);
  return { ok: true, tokens: whole, exports: gathering.exports, stars: gathering.stars, imports };
}

/**
 * The module that `text` is at `path`; null when the path's language is not known. Runs on the calling thread and stack,
 * which hostile text can exhaust: `createOxcParser` is what keeps a daemon alive.
 */
export function parseModule(path: string, text: string): ParsedModule | null {
  const language = languageOf(path);
  if (language === null) return null;
  const module = parseAs(text, language);
  if (module.ok || language !== 'js') return module;
  // A script that only CommonJS allows, such as one with a `return` at its top level.
  const script = parseAs(text, 'commonjs');
  return script.ok ? script : module;
}

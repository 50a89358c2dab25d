// The port to a parser, and the small neutral shape of a module that everything here works on.
//
// It never knows which parser stands behind it, nor that parser's syntax tree. A module is what others can see of it:
// what it exports, what it hands on from elsewhere, what it imports. Texts of declarations are canonical (see
// parser-tokens.ts): comments and layout are already gone.
//
// Invariants:
//   PP1. Parsing is a pure function of path and text; the same parser gives equal modules for equal input, save for
//        the reason `limit`, which may come and go.
//   PP2. A module that does not parse shows nothing: no exports, no imports.

import type { TreePath } from '@firetrident/base';

/** One declaration of an exported name. */
export interface SourceDeclaration {
  /** Its tokens, canonical. The words `export` and `default` before it are no part of it. */
  readonly tokens: string;
  /**
   * The tokens without bodies whose result type is written down; null when nothing could be left out, so that the
   * whole declaration is its own signature.
   */
  readonly signature: string | null;
}

/** What one exported name stands for. */
export type ModuleExport =
  | {
      readonly kind: 'declared';
      /** Exported by `export type { … }`, so it cannot be used as a value. */
      readonly typeOnly: boolean;
      /** All declarations of the name in the order of the text: overloads, merged interfaces, namespaces. Never empty. */
      readonly declarations: readonly SourceDeclaration[];
    }
  | {
      readonly kind: 'forwarded';
      readonly typeOnly: boolean;
      /** As written, for example `./shape.ts`. */
      readonly specifier: string;
      /** The name over there: an exported name, `default`, or `*` for the whole module as a namespace. */
      readonly imported: string;
    };

/** `export * from`: every export of another module save its default. */
export interface ModuleStar {
  readonly specifier: string;
  readonly typeOnly: boolean;
}

/** One place that names another module: an import, a re-export, `import()`, `require()`, an imported type. */
export interface ModuleImport {
  /** As written. */
  readonly specifier: string;
  /** The names that it takes from there: exported names, `default`, `*` for everything; empty for effects only. */
  readonly names: readonly string[];
}

/** Why a module shows nothing: its text is not the language, or it is beyond what the parser takes on. */
export type ParseFailure = 'syntax' | 'limit';

/** What others can see of a module. Plain data, fit to be copied between threads. */
export type ParsedModule =
  | {
      readonly ok: true;
      /** The tokens of the whole text, canonical. */
      readonly tokens: string;
      /** By exported name. Several entries under one name come from different declarations (a type beside a value). */
      readonly exports: ReadonlyMap<string, readonly ModuleExport[]>;
      readonly stars: readonly ModuleStar[];
      /** In the order of the text. */
      readonly imports: readonly ModuleImport[];
    }
  | {
      readonly ok: false;
      readonly reason: ParseFailure;
      /** For people. */
      readonly message: string;
      /** First line of the first error, from 1, where there is one. */
      readonly line: number | null;
    };

/** Parses source text. Synchronous: see docs/decisions/0004-synchronous-parser.md. */
export interface Parser {
  /** Whether the language of the path is known, so that its bytes are worth loading. */
  knows(path: TreePath): boolean;
  /** The module that `text` is at `path`; null when the language is not known. Never throws for what the text holds. */
  parse(path: TreePath, text: string): ParsedModule | null;
}

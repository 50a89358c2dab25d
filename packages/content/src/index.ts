// What needs bytes and no input or output.
export {
  type Backlog,
  type BacklogRefusal,
  backlogDraftLimit,
  backlogLengthLimit,
  type Draft,
  draftListLimit,
  draftPriorityLimit,
  draftTitleLimit,
} from './backlog.ts';
export { type BacklogFormat, backlogFormats, guessBacklogFormat, parseBacklog } from './backlog-formats.ts';
export { checkOffMarkdown, parseMarkdownBacklog } from './backlog-markdown.ts';
export { type DraftGroups, groupByDependency } from './backlog-order.ts';
export { diffLines, type Hunk } from './diff.ts';
export {
  checkGlob,
  compileGlob,
  type GlobRefusal,
  globAlternativesLimit,
  globLengthLimit,
  globRoot,
  globsOverlap,
  isGlob,
} from './globs.ts';
export { type ImportedRead, readsOfImports } from './imports.ts';
export { resolveSpecifier } from './imports-resolve.ts';
export { isBinary, splitLines } from './lines.ts';
export { type MappedLines, mapLines } from './lines-map.ts';
export { type MergeConflict, type MergeResult, type MergeWitness, mergeLines } from './merge.ts';
export {
  type ByRule,
  type EntryConflict,
  type EntryMergeResult,
  type EntryMode,
  type MergeEntry,
  mergeEntries,
} from './merge-entries.ts';
export { type MergeRule, mergeByRule, type RuleMerge, type RuleWitness } from './merge-rules.ts';
export type {
  ModuleExport,
  ModuleImport,
  ModuleStar,
  ParsedModule,
  ParseFailure,
  Parser,
  SourceDeclaration,
} from './parser.ts';
export {
  canonicalText,
  type SourceMark,
  type SourceMarkKind,
  type SourceRange,
  type SourceToken,
  scanTokens,
} from './parser-tokens.ts';
export {
  type ResolvedSymbol,
  resolveSymbol,
  type SliceOptions,
  symbolDepthLimit,
  symbolSlice,
  symbolSliceAcross,
  symbolVisitLimit,
  wholeModule,
} from './symbols.ts';
export { type LineRange, type UnifiedDiffOptions, unifiedDiff } from './unified.ts';

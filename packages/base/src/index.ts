// What the standard library should have had. No dependency, no input or output, no clock.

export { allocatorSettings, isAllocatorSetting } from './allocator.ts';
export { assert, defined, never } from './assert.ts';
export { compareBytes, concatBytes, hexBytes, hexText, sameBytes, utf8, utf8Text } from './bytes.ts';
export { Heap } from './heap.ts';
export {
  type AgentId,
  type AttentionId,
  type BatchId,
  type CycleId,
  composeId,
  type IdPrefix,
  type IntentId,
  isOid,
  type JoinTokenId,
  type LandingId,
  type LeaseId,
  landingOf,
  type Oid,
  type PreservedId,
  type ProposalId,
} from './ids.ts';
export { canonicalJson, type Json } from './json.ts';
export { OrderedSet } from './ordered-set.ts';
export { comparePaths, folderOf, isTextPath, nameOf, pathBytes, pathText, type TreePath } from './paths.ts';
export { countOf, oneLine, printable } from './plain-text.ts';
export { drawRandom, hashText, type RandomState, RandomStream } from './random.ts';
export { type ListedSource, parseReadLine, readListLine, readListName } from './read-list.ts';
export { no, ok, type Result } from './result.ts';
export { normaliseTitle, textOverlap, textWords, wordOverlap } from './text.ts';

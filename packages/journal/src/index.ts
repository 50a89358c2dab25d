// The log: its port, its record format, replay, and the journal in memory. What writes to a disk lives in adapters.

export { crc32 } from './checksum.ts';
export { FaultyMemoryJournal, type JournalFaults } from './faulty-memory-journal.ts';
export { epochFenced, HandleState, sequenceMismatch } from './handle-state.ts';
export { MemoryJournal, type Pace } from './memory-journal.ts';
export { MemoryStore } from './memory-store.ts';
export {
  type ArchiveRow,
  emptyBatch,
  type Journal,
  type JournalBatch,
  JournalError,
  type JournalErrorKind,
  type JournalEvent,
  type JournalOpening,
  type SnapshotBody,
} from './port.ts';
export {
  checkedEvents,
  type EventChecksum,
  type EventRecord,
  eventChecksum,
  journalFormat,
  rebuildHint,
} from './record.ts';
export { replay } from './replay.ts';

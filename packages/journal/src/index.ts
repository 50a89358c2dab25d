// The log: its port, its record format, replay, and the journal in memory. What writes to a disk lives in adapters.

export {
  type ArchiveRow,
  emptyBatch,
  type Journal,
  type JournalBatch,
  JournalError,
  type JournalErrorKind,
  type JournalEvent,
  type JournalOpening,
} from './port.ts';

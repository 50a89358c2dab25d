// The engine: the loop around the core, over ports.

export type * from './colony.ts';
export { openColony } from './colony-engine.ts';
export { type LandingStage, type LandingStageSums, landingStages } from './landing-stages.ts';
export type { BlobHash, Clock, EnginePorts, FaultPoint, Log, StorageFailure } from './ports.ts';
export type { Founding } from './recovery.ts';
export { commitMessage, isoTime, lineageNote, namedPath } from './room/lineage.ts';
export { type RoomPorts, TrunkRoom } from './room/trunk-room.ts';
export { snapshotEveryEvents } from './session.ts';
export {
  type BlameAnswer,
  type CycleAnswer,
  type CycleEntry,
  type CycleRequest,
  type Doubt,
  type ForeignChange,
  type MoveAnswer,
  type PreserveRequest,
  type RecoveryAnswer,
  type ResolveRequest,
  type StagedBlob,
  StorageFailureError,
  type TrunkService,
} from './trunk-service.ts';

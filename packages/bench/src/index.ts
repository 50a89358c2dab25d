// Measuring: histories to draw tasks from, and comparisons in the simulator on this machine.

export { isDone, reportSteps, type Step } from './all/steps.ts';
export { costsText } from './calibrate/costs-text.ts';
export { cycleShapeOf } from './calibrate/cycle-shape.ts';
export {
  type Calibration,
  calibrate,
  type FittedPoint,
  type LivePoint,
  pointsOf,
  simulatePoint,
} from './calibrate/fit.ts';
export { type ExtractOptions, extractHistory } from './history/extract.ts';
export { HistoryError } from './history/git-lines.ts';
export { bundledHistories, readHistoryText, writeHistoryText } from './history/history-file.ts';
export { type CascadeMoment, type CascadeOptions, type CascadeResult, runCascade } from './live/cascade.ts';
export type { LiveExpectation, LiveScenarioResult } from './live/expectation.ts';
export { type LiveScenarioName, liveScenarioNames, liveScenarioStory, runLiveScenario } from './live/live-scenarios.ts';
export { type LiveTarget, type OwnDaemonSettings, startOwnDaemon } from './live/own-daemon.ts';
export { countedSpan, type LivePlan, usualRampMs, usualSettleMs, usualWorkers } from './live/plan.ts';
export type { BenchHost, LiveResult } from './live/result.ts';
export { type HostileResult, runHostile, usualHostileCounts } from './live/run-hostile.ts';
export { type LiveOptions, runLive } from './live/run-live.ts';
export type { ScenarioPlace } from './live/scenario-colony.ts';
export { type LandingCommit, type LandingNotes, landingNotes } from './notes/landing-notes.ts';
export { checkNotes, type FanOut, type NotesCheck, type NotesCheckOptions } from './notes/notes-check.ts';
export {
  type CheckPlan,
  type LivePeer,
  livePeers,
  type PeerSystem,
  type PeersPlan,
  peerSystems,
} from './peers/plan.ts';
export { type PeerRow, type PeersOptions, type PeersResult, peerRules, runPeers } from './peers/run-peers.ts';
export { appendHistory, parseHistoryLines } from './record/history.ts';
export { type HistoryLine, HistoryLineError } from './record/history-line.ts';
export { type Provenance, provenanceOf } from './record/provenance.ts';
export { reportPage } from './report/page.ts';
export {
  type ResultFile,
  ResultFileError,
  type Results,
  readResult,
  type ScriptResult,
} from './results/result-file.ts';
export { readResultFiles } from './results/result-files.ts';
export { chartPage } from './sim/chart.ts';
export { copyCount, runsOf, type SimMode, type SimPlan, type SimRun } from './sim/plan.ts';
export { assumptionsOf, type SimAssumptions, type SimReport } from './sim/report.ts';
export { type RunPlanOptions, runPlan } from './sim/run-plan.ts';
export { RunFailedError } from './sim/run-process.ts';
export { runScenarios, type ScenarioPlan, type ScenarioReport } from './sim/run-scenarios.ts';
export { sizeChecks } from './sim/size-checks.ts';

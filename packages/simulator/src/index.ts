// Policies of coordination compared in simulated time, on tasks from real histories.

export { runColony } from './colony/colony-run.ts';
export { type Costs, fittedCosts } from './colony/costs.ts';
export type { Behaviour, ColonyOptions } from './colony/options.ts';
export { colonyRun } from './colony/policies.ts';
export { type Switches, switchesOf } from './colony/switches.ts';
export { EventQueue } from './events/event-queue.ts';
export { figuresOf, type ResultRow, type RowKey, type RunCost, type RunFigures, rowOf } from './measure/result.ts';
export { Samples } from './measure/samples.ts';
export { Tally, type TallyOptions } from './measure/tally.ts';
export { peerRuns } from './peers/peers.ts';
export {
  type ColonyPolicy,
  colonyPolicies,
  type PeerPolicy,
  type PolicyName,
  type PolicyOptions,
  type PolicyRun,
  peerPolicies,
  policyNames,
} from './policy.ts';
export { isColonyPolicy, policyAssumptions, policyRun } from './run-policy.ts';
export { type ScenarioName, scenarioNames, scenarios } from './scenarios/all.ts';
export {
  atLeast,
  atMost,
  below,
  type Expectation,
  type Scenario,
  type ScenarioOptions,
  type ScenarioResult,
} from './scenarios/scenario.ts';
export { type CopiesOptions, copiesOf } from './workload/copies.ts';
export {
  type HistoryCommit,
  type HistoryFile,
  type HistoryRead,
  type HistoryRefusal,
  historyLine,
  parseHistory,
} from './workload/history.ts';
export { liveTasks } from './workload/live.ts';
export type { Task, TaskFile, TaskFileStatus, TaskHunk, TaskRead, Workload } from './workload/task.ts';
export { usualWorkTime, type WorkTime } from './workload/work-time.ts';

// Agents that are commands: checkouts, runs, proposals, repairs.

export type { AgentEvent } from './agent-event.ts';
export { AgentLoop, type AgentSettings } from './agent-loop.ts';
export { type CapturedWork, capturedRepository, listCaptured } from './captured-work.ts';
export { type ChangeSettings, changedWrites } from './changes.ts';
export { borrowedRepository, Checkout, type CheckoutPlace, NotCapturedError } from './checkout.ts';
export { CheckoutLimitError, type CheckoutLimits, usualLimits } from './checkout-limits.ts';
export { CheckoutPool, type CheckoutRequest, type PoolSettings } from './checkout-pool.ts';
export { type CommandSettings, runCommand } from './command.ts';
export { type Activity, type DriverName, driverNames, type Usage } from './driver.ts';
export { type FleetSettings, RepositoryElsewhereError, runFleet } from './fleet.ts';
export type { HeadsUpPolicy, HeardHeadsUp } from './heads-up-desk.ts';
export { type PermissionPolicy, permissionPolicies } from './permissions.ts';
export { type CommandEnd, CommandUnusableError } from './process-group.ts';
export { ReadList, type SeenFiles } from './read-list.ts';
export { type GitEnd, GitFailedError, type GitOptions, runGit, tryGit } from './run-git.ts';
export { setUp } from './setup.ts';
export { shellReads } from './shell-reads.ts';
export { agentCommand, knownAgents } from './vendors.ts';
export { ordinaryTree, type WorkTree } from './work-tree.ts';

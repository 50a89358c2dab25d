// Agents that are commands: checkouts, runs, proposals, repairs.

export { type AgentEvent, AgentLoop, type AgentSettings } from './agent-loop.ts';
export { changedWrites } from './changes.ts';
export { Checkout, type CheckoutPlace } from './checkout.ts';
export { type CommandEnd, type CommandSettings, runCommand } from './command.ts';
export { type FleetSettings, runFleet } from './fleet.ts';
export { GitFailedError, runGit } from './run-git.ts';
export { setUp } from './setup.ts';

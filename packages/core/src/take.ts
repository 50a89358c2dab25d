// Taking work: the answer is an intent with a lease, or a named reason to wait.

import { ok } from '@firetrident/base';
import { whyColonyIsBusy } from './admission.ts';
import { actingAgent, isRefusal } from './agents.ts';
import type { Applying, Decision } from './applying.ts';
import { choose, type Obstacle } from './choose.ts';
import type { CommandOf, LeaseGrant, WaitReason } from './command.ts';
import { intentOf } from './evolve-put.ts';
import { nextEpoch, nextId } from './identity.ts';
import { isTakeable } from './index-of-state.ts';
import { learnedFor } from './intents.ts';
import type { Intent } from './model.ts';
import type { Refusal } from './refusal.ts';
import type { ColonyState } from './state.ts';

/** Takes per second that waiting agents may make together (T6b). */
const takesPerSecond = 200;
const shortestWaitMs = 1_000;
const longestWaitMs = 60_000;

type Take = CommandOf<'take'>;

/** Gives the agent the intent that it names, or the best one for it (T1 to T4, T6, T9). */
export function take(applying: Applying, command: Take): Decision<'take'> {
  const { state, now } = applying;
  const agent = actingAgent(state, command.agent);
  if (isRefusal(agent)) return applying.refuse(agent);
  const bound = state.policy.limits.leasesPerAgent;
  if (agent.leases.length >= bound) {
    return applying.refuse({ code: 'limit_reached', limit: 'leasesPerAgent', bound });
  }
  if (command.intent !== null) {
    const refusal = whyNotTakeable(state, command.intent);
    if (refusal !== null) return applying.refuse(refusal);
    return ok({ kind: 'grant', grant: grant(applying, command, intentOf(state, command.intent)) });
  }
  if (command.takesInFlight >= state.policy.limits.takesInFlight) {
    return wait(command, 'colony busy: too many takes in flight');
  }
  const busy = whyColonyIsBusy(state, now);
  if (busy !== null) return wait(command, busy);
  const choice = choose(state, agent, command, now);
  if ('intent' in choice) return ok({ kind: 'grant', grant: grant(applying, command, intentOf(state, choice.intent)) });
  return wait(command, reasons[choice.obstacle]);
}

/** What an agent is told of what keeps it from work (T6a). */
const reasons = {
  nothing: 'no open intent',
  claims: "every open intent's files are claimed by another agent",
  thresholds: "what is open is claimed by others, and the agent's thresholds refused it for now",
  full: 'every region with open work is full',
} as const satisfies Record<Obstacle, WaitReason>;

/** A named intent skips score, thresholds, claims and admission, not dependencies and leases (T9). */
function whyNotTakeable(state: ColonyState, id: Intent['id']): Refusal | null {
  const intent = state.intents.get(id);
  if (intent === undefined) {
    const recent = state.recentIntents.get(id);
    if (recent === undefined) return { code: 'unknown_intent', intent: id };
    return { code: 'intent_not_open', intent: id, state: recent.state };
  }
  if (isTakeable(intent)) return null;
  if (intent.state !== 'open') return { code: 'intent_not_open', intent: id, state: intent.state };
  return { code: 'intent_waits', intent: id, waitingOn: intent.waitingOn };
}

function grant(applying: Applying, command: Take, intent: Intent): LeaseGrant {
  const { state, now } = applying;
  const lease = nextId(state, 'lse');
  const epoch = nextEpoch(state, intent);
  const expiresAt = now + state.policy.leaseMs;
  const granted = { lease, intent: intent.id, epoch, expiresAt, base: state.tip };
  const learnedPaths = learnedFor(state, intent.paths, intent.title);
  const learned = learnedPaths.length > 0 ? { learnedPaths } : {};
  applying.emit({ kind: 'taken', agent: command.agent, ...granted, ...learned });
  return granted;
}

/** The pause is so long that all waiting agents together stay within the budget of takes (T6b). */
function wait(command: Take, reason: WaitReason): Decision<'take'> {
  const paced = Math.ceil((command.waitingAgents * 1000) / takesPerSecond);
  return ok({ kind: 'wait', reason, retryAfterMs: Math.min(longestWaitMs, Math.max(shortestWaitMs, paced)) });
}

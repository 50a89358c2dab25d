// The policy between the wire and the core: fields without rules exist only on the wire.

import { defaultPolicy, type Policy } from '@firetrident/core';
import type { PolicyRequest, ResolvedPolicy } from '@firetrident/protocol';

/** The policy that `request` makes of `current`: what is named is replaced, `reads` and `limits` field by field. */
export function changedPolicy(current: Policy, request: PolicyRequest): Policy {
  return {
    leaseMs: request.leaseMs ?? current.leaseMs,
    claimHalfLifeMs: request.claimHalfLifeMs ?? current.claimHalfLifeMs,
    repairWindowMs: request.repairWindowMs ?? current.repairWindowMs,
    reservationMs: request.reservationMs ?? current.reservationMs,
    starveAfterMs: request.starveAfterMs ?? current.starveAfterMs,
    regionDepth: request.regionDepth ?? current.regionDepth,
    maxAttempts: request.maxAttempts ?? current.maxAttempts,
    admission: changedAdmission(current.admission, request.admission),
    reads: {
      default: request.reads?.default ?? current.reads.default,
      paths: request.reads?.paths ?? current.reads.paths,
    },
    globalInputs: request.globalInputs ?? current.globalInputs,
    strict: request.strict ?? current.strict,
    merge: builtRules(request.merge) ?? current.merge,
    landing: { ...current.landing, ...presentFields(request.landing ?? {}) },
    setup: request.setup === undefined ? current.setup : request.setup,
    limits: { ...current.limits, ...presentFields(request.limits ?? {}) },
  };
}

/** The merge rules as sent; those without code behind them were refused before. */
function builtRules(merge: PolicyRequest['merge']): Policy['merge'] | undefined {
  return merge as Policy['merge'] | undefined;
}

/** A bound that is not named keeps its value, or takes the default where admission was open. */
function changedAdmission(current: Policy['admission'], request: PolicyRequest['admission']): Policy['admission'] {
  if (request === undefined) return current;
  if (request === 'open') return 'open';
  const known = current === 'open' ? defaultPolicy.admission : current;
  return known === 'open' ? known : { ...known, ...presentFields(request) };
}

/** The policy of a colony that is being made. */
export function foundingPolicy(request: PolicyRequest | undefined): Policy {
  return changedPolicy(defaultPolicy, request ?? {});
}

/** The policy as answered, with the fields that have no rules at the only value they take. */
export function policyBody(policy: Policy): ResolvedPolicy {
  return {
    leaseMs: policy.leaseMs,
    claimHalfLifeMs: policy.claimHalfLifeMs,
    repairWindowMs: policy.repairWindowMs,
    reservationMs: policy.reservationMs,
    starveAfterMs: policy.starveAfterMs,
    regionDepth: policy.regionDepth,
    maxAttempts: policy.maxAttempts,
    admission: policy.admission === 'open' ? 'open' : { ...policy.admission },
    reads: { default: policy.reads.default, paths: { ...policy.reads.paths } },
    globalInputs: [...policy.globalInputs],
    strict: [...policy.strict],
    merge: { ...policy.merge },
    landing: { ...policy.landing },
    decide: { enabled: false },
    checks: [],
    setup: policy.setup,
    limits: { ...policy.limits },
  };
}

function presentFields<T extends object>(fields: T): { [Field in keyof T]: Exclude<T[Field], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Field in keyof T]: Exclude<T[Field], undefined>;
  };
}

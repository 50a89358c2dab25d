// Identifiers. Each kind carries its prefix in its type, so one kind cannot be passed for another.

/** Object id of git: 40 lower-case hexadecimal digits (SHA-1). */
export type Oid = string;

/** Identifiers of the things that a colony keeps, one type for each kind. */
export type IntentId = `int_${string}`;
export type AgentId = `agt_${string}`;
export type LeaseId = `lse_${string}`;
export type ProposalId = `prp_${string}`;
export type LandingId = `lnd_${string}`;
export type BatchId = `bat_${string}`;
export type CycleId = `cyc_${string}`;
export type PreservedId = `prs_${string}`;
export type AttentionId = `att_${string}`;
export type JoinTokenId = `jtk_${string}`;

/** What an identifier begins with, before the underscore. */
export type IdPrefix = 'int' | 'agt' | 'lse' | 'prp' | 'lnd' | 'bat' | 'cyc' | 'prs' | 'att' | 'jtk';

/**
 * Composes an id from the boot generation and a counter. The generation keeps ids apart across
 * restarts, so a torn journal tail can never make one id name two things.
 */
export function composeId<P extends IdPrefix>(prefix: P, generation: number, counter: number): `${P}_${string}` {
  return `${prefix}_${generation.toString(36)}${counter.toString(36).padStart(6, '0')}`;
}

const oidPattern = /^[0-9a-f]{40}$/;

/** Whether `text` has the form of an object id. */
export function isOid(text: string): text is Oid {
  return oidPattern.test(text);
}

/** The landing that a proposal has if it lands: one proposal lands once at most, so the ids share their number. */
export function landingOf(proposal: ProposalId): LandingId {
  return `lnd_${proposal.slice('prp_'.length)}`;
}

// Every error that the daemon can answer: one closed catalogue. A code that is not here does not exist.
//
//   ER1. An expected refusal of an agent's work (a return, a rejection) is an outcome and never an error.
//   ER2. Each entry says what happens next, so a program or a model can go on without a person.

/** One error: its HTTP status, what went wrong, what happens next and what to do about it. */
export interface ErrorEntry {
  readonly status: number;
  readonly message: string;
  readonly next: string;
  readonly hint: string;
}

const nothingApplied = 'Nothing was applied.';

/** The call itself: who asks, in which form, how often. */
const callErrors = {
  unauthorized: {
    status: 401,
    message: 'The call carries no token that is good here.',
    next: nothingApplied,
    hint: 'Send "Authorization: Bearer <token>". A stopped agent’s token is dead; register again.',
  },
  forbidden: {
    status: 403,
    message: 'The token does not allow this call.',
    next: nothingApplied,
    hint: 'See the API page for which token each call takes; an agent’s token is good for its own colony and leases.',
  },
  origin_refused: {
    status: 403,
    message: 'A page of another origin made this call.',
    next: nothingApplied,
    hint: 'Name the origin in FT_ORIGINS, or call from the daemon’s own address.',
  },
  host_refused: {
    status: 403,
    message: 'The call names a host that is not this machine.',
    next: nothingApplied,
    hint: 'Call 127.0.0.1 or localhost; a page that was led here by its name server may not call.',
  },
  invalid_json: {
    status: 400,
    message: 'The body is not JSON in UTF-8.',
    next: nothingApplied,
    hint: 'Send one JSON object.',
  },
  invalid_request: {
    status: 422,
    message: 'A field of the request is wrong.',
    next: nothingApplied,
    hint: 'Correct the field that `value` names; unknown fields are errors.',
  },
  invalid_address: {
    status: 400,
    message: 'The address is not well formed.',
    next: nothingApplied,
    hint: 'Percent-encode each byte of a path that is not a letter, a digit or one of -._~/.',
  },
  malformed_call: {
    status: 400,
    message: 'The call is not HTTP that can be read.',
    next: 'Nothing was applied; the connection is closed.',
    hint: 'Use an ordinary HTTP/1.1 client.',
  },
  head_too_large: {
    status: 431,
    message: 'The address and headers are larger than a call may have.',
    next: 'Nothing was applied; the connection is closed.',
    hint: 'Shorten the address; long lists belong in a body.',
  },
  body_too_large: {
    status: 413,
    message: 'The body is larger than this call takes.',
    next: 'Nothing was applied; the connection is closed.',
    hint: 'Send large files ahead with PUT blobs and name their ids, or split the call.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'The body is in a form that this call does not take.',
    next: nothingApplied,
    hint: 'Send JSON as application/json, without a content encoding.',
  },
  not_found: {
    status: 404,
    message: 'There is nothing at this address.',
    next: nothingApplied,
    hint: 'See the API page for the addresses there are.',
  },
  method_not_allowed: {
    status: 405,
    message: 'This address does not take this method.',
    next: nothingApplied,
    hint: 'The Allow header names the methods it takes.',
  },
  upgrade_required: {
    status: 426,
    message: 'This address speaks WebSocket only.',
    next: nothingApplied,
    hint: 'Open it with a WebSocket client.',
  },
  too_many_requests: {
    status: 429,
    message: 'Too many calls are under way.',
    next: nothingApplied,
    hint: 'Wait for an answer before the next call, or ask again in a second.',
  },
  git_busy: {
    status: 503,
    message: 'Too many clones and fetches are under way.',
    next: nothingApplied,
    hint: 'Try again in a moment; FT_GIT_READERS of the daemon says how many are served at once.',
  },
  shutting_down: {
    status: 503,
    message: 'The daemon is shutting down.',
    next: nothingApplied,
    hint: 'Ask again once it is back; an idempotency key makes a retry safe.',
  },
  internal: {
    status: 500,
    message: 'The daemon met a state that it does not expect.',
    next: 'The call may not have been applied; what was acknowledged before stands.',
    hint: 'Report it with the log line that carries this request id.',
  },
} as const satisfies Record<string, ErrorEntry>;

/** Colonies, their policy and their storage. */
const colonyErrors = {
  unknown_colony: {
    status: 404,
    message: 'There is no colony of this id.',
    next: nothingApplied,
    hint: 'GET /api/colonies lists them.',
  },
  colony_exists: {
    status: 409,
    message: 'A colony of this id exists already.',
    next: nothingApplied,
    hint: 'Choose another id, or use the colony that is there.',
  },
  confirmation_mismatch: {
    status: 409,
    message: 'The confirmation does not repeat the colony’s id.',
    next: 'Nothing was deleted.',
    hint: 'Send { "confirm": "<the id>" }.',
  },
  repository_unusable: {
    status: 422,
    message: 'The repository cannot be imported.',
    next: 'No colony was made; the source is untouched.',
    hint: 'Check that git can clone it, that it uses SHA-1 and has the branch.',
  },
  policy_not_supported: {
    status: 422,
    message: 'This version has no rules for this field of the policy.',
    next: 'The policy stays as it was.',
    hint: 'Leave the field out.',
  },
  storage_unavailable: {
    status: 507,
    message: 'The disk does not take what would have to be durable.',
    next: 'Nothing was acknowledged; what was acknowledged before stands.',
    hint: 'Free space or make the data directory writable; the colony goes on by itself.',
  },
  colony_closing: {
    status: 503,
    message: 'The colony is shutting down.',
    next: nothingApplied,
    hint: 'Ask again once the daemon is back.',
  },
  landing_not_frozen: {
    status: 409,
    message: 'Landing does not stand still.',
    next: nothingApplied,
    hint: 'There is nothing to resume.',
  },
  no_upstream: {
    status: 409,
    message: 'The colony has no upstream.',
    next: nothingApplied,
    hint: 'PUT upstream names one.',
  },
  limit_reached: {
    status: 429,
    message: 'A limit of the colony is reached.',
    next: nothingApplied,
    hint: 'Wait until something ends, or raise the limit in the policy.',
  },
  unknown_attention: {
    status: 404,
    message: 'Nothing of this id waits for attention.',
    next: nothingApplied,
    hint: 'GET attention lists what waits.',
  },
} as const satisfies Record<string, ErrorEntry>;

/** Intents, agents, leases. */
const workErrors = {
  unknown_intent: {
    status: 404,
    message: 'There is no intent of this id.',
    next: nothingApplied,
    hint: 'GET intents lists them.',
  },
  unknown_dependency: {
    status: 422,
    message: 'The intent names a dependency or parent that does not exist.',
    next: 'No intent was created.',
    hint: 'Create what it depends on first.',
  },
  dependency_cycle: {
    status: 422,
    message: 'The dependencies would go in a circle.',
    next: nothingApplied,
    hint: 'Leave out one of them.',
  },
  intent_not_open: {
    status: 409,
    message: 'The intent is not open.',
    next: nothingApplied,
    hint: 'Take another, or ask without naming one.',
  },
  intent_waits: {
    status: 409,
    message: 'The intent waits for others that have not ended.',
    next: nothingApplied,
    hint: 'Take one of those that it waits for.',
  },
  intent_not_editable: {
    status: 409,
    message: 'An intent in this state cannot be changed so.',
    next: nothingApplied,
    hint: 'Open, blocked and abandoned intents can be changed; one at work can be abandoned.',
  },
  unknown_agent: {
    status: 404,
    message: 'There is no agent of this id.',
    next: nothingApplied,
    hint: 'GET agents lists them.',
  },
  agent_stopped: {
    status: 401,
    message: 'The agent was stopped; its token is dead.',
    next: nothingApplied,
    hint: 'Register again.',
  },
  unknown_join_token: {
    status: 401,
    message: 'The join token is not known, or it expired.',
    next: 'No agent was registered.',
    hint: 'Ask an administrator for another.',
  },
  join_token_spent: {
    status: 403,
    message: 'As many agents as the join token allows have registered.',
    next: 'No agent was registered.',
    hint: 'Ask an administrator for another.',
  },
  unknown_lease: {
    status: 404,
    message: 'There is no lease of this id.',
    next: nothingApplied,
    hint: 'It may have ended; take again.',
  },
  not_your_lease: {
    status: 403,
    message: 'The lease belongs to another agent.',
    next: nothingApplied,
    hint: 'Use the lease that your own take gave.',
  },
  stale_epoch: {
    status: 409,
    message: 'The lease is over: its epoch is an old one.',
    next: 'Nothing was applied; a propose under it would be preserved.',
    hint: 'Take again, and send the epoch of that lease.',
  },
} as const satisfies Record<string, ErrorEntry>;

/** Proposals, paths, blobs, history. */
const contentErrors = {
  unknown_proposal: {
    status: 404,
    message: 'There is no proposal of this id.',
    next: nothingApplied,
    hint: 'Use the id that propose answered.',
  },
  unknown_predecessor: {
    status: 422,
    message: 'The proposal named as base is not one of this lease.',
    next: nothingApplied,
    hint: 'Name an earlier proposal of the same lease, or a trunk commit.',
  },
  proposal_pending: {
    status: 409,
    message: 'A final proposal of this lease is on its way.',
    next: 'That one goes on.',
    hint: 'Wait for its outcome; repair it when it comes back.',
  },
  not_returned: {
    status: 409,
    message: 'The proposal did not come back, so there is nothing to repair.',
    next: nothingApplied,
    hint: 'Ask for its state.',
  },
  confirm_needs_writes: {
    status: 409,
    message: 'The brief names a write that conflicts: confirming is not enough.',
    next: 'The lease and the brief stand.',
    hint: 'Answer with amend, and send the conflicting paths again.',
  },
  repair_out_of_order: {
    status: 409,
    message: 'An earlier proposal of this chain came back and is not repaired yet.',
    next: nothingApplied,
    hint: 'Repair the chain in its order.',
  },
  key_reused: {
    status: 409,
    message: 'The key was used for a proposal of another lease.',
    next: nothingApplied,
    hint: 'Use a new key for new work.',
  },
  no_change: {
    status: 422,
    message: 'The proposal writes nothing.',
    next: nothingApplied,
    hint: 'End an intent that needs no change with complete.',
  },
  unknown_base: {
    status: 422,
    message: 'The base is not a commit of trunk.',
    next: nothingApplied,
    hint: 'Use the commit that take gave, or a later trunk commit.',
  },
  unknown_commit: {
    status: 422,
    message: 'The commit is not known to the colony.',
    next: nothingApplied,
    hint: 'Name a commit of trunk or of the preserved work.',
  },
  unknown_path: {
    status: 404,
    message: 'There is nothing at this path in this commit.',
    next: nothingApplied,
    hint: 'GET tree lists what is there.',
  },
  unknown_blob: {
    status: 422,
    message: 'The blob was not sent.',
    next: nothingApplied,
    hint: 'Send it with PUT blobs first.',
  },
  write_basis: {
    status: 422,
    message: 'What the write says it saw is not what base holds there.',
    next: nothingApplied,
    hint: 'Read the file at base again, or name the base that was really used.',
  },
  path_outside: {
    status: 422,
    message: 'The path leaves the tree.',
    next: nothingApplied,
    hint: 'Name paths from the root of the tree, without a leading slash or "..".',
  },
  path_reserved: {
    status: 422,
    message: 'The path names git’s own folder.',
    next: nothingApplied,
    hint: 'No spelling of .git can be written.',
  },
  path_invalid: {
    status: 422,
    message: 'The path cannot stand in a tree.',
    next: nothingApplied,
    hint: 'Segments must not be empty, "." or hold NUL; send names that are not UTF-8 as pathBase64.',
  },
  path_case_clash: {
    status: 422,
    message: 'The path differs only in case from one that exists.',
    next: nothingApplied,
    hint: 'Use the spelling that exists, or move it first.',
  },
  writes_clash: {
    status: 422,
    message: 'Two writes cannot both be true.',
    next: nothingApplied,
    hint: 'Write each path once, and nothing below a file.',
  },
  read_invalid: {
    status: 422,
    message: 'A declared read cannot be resolved.',
    next: nothingApplied,
    hint: 'Declare the whole file instead.',
  },
  glob_invalid: {
    status: 422,
    message: 'The pattern is not a glob.',
    next: nothingApplied,
    hint: 'Use *, ** and ? between slashes, and balanced brackets.',
  },
  blob_too_large: {
    status: 413,
    message: 'A file is larger than the colony takes.',
    next: nothingApplied,
    hint: 'Keep large files elsewhere, or raise limits.blobBytes in the policy.',
  },
  staging_full: {
    status: 429,
    message: 'Too many bytes wait to be landed.',
    next: nothingApplied,
    hint: 'Ask again when some have landed.',
  },
  unknown_landing: {
    status: 404,
    message: 'There is no landing of this id.',
    next: nothingApplied,
    hint: 'GET landings lists them.',
  },
  not_revertable: {
    status: 409,
    message: 'The landing cannot be reverted.',
    next: nothingApplied,
    hint: 'Make an intent for it and change the files by hand.',
  },
  line_out_of_range: {
    status: 422,
    message: 'The file does not have that many lines.',
    next: nothingApplied,
    hint: 'Lines are counted from 1.',
  },
} as const satisfies Record<string, ErrorEntry>;

/** The whole catalogue (ER1, ER2). */
export const errorCatalogue = {
  ...callErrors,
  ...colonyErrors,
  ...workErrors,
  ...contentErrors,
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

/** The error of a response's body. */
export interface ErrorFacts {
  readonly code: ErrorCode;
  readonly message: string;
  readonly value: unknown;
  readonly next: string;
  readonly hint: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

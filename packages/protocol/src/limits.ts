// Bounds of what one call may carry, checked before anything looks at its meaning.
//
// Never here: bounds of a colony (those are its policy).

/** Bounds of one call over the wire. Names end in the unit; the others are counts. */
export const wireLimits = {
  /** Body of a call unless its endpoint says otherwise. */
  requestBytes: 1_048_576,
  /** Body of a propose or repair, and one frame of an agent's socket. */
  proposeBytes: 67_108_864,
  /** Pack of one push. */
  pushBytes: 134_217_728,
  /** Commits of one push. */
  pushCommits: 1_000,
  /** Body of one blob. */
  blobBytes: 33_554_432,
  /** Bodies that are being received or worked on, all together. */
  bodiesBytes: 536_870_912,
  /** Connections, sockets of the live stream included. */
  connections: 20_000,
  /** Body of a call that carries a backlog. */
  backlogBytes: 16_777_216,
  /** One frame of an observer's socket; observers have nothing to say. */
  observerFrameBytes: 4_096,
  /** Nesting of a JSON body. */
  jsonDepth: 32,
  /** Characters of the names that people give: agents, labels, keys. */
  nameCharacters: 200,
  titleCharacters: 1_000,
  textCharacters: 262_144,
  specCharacters: 8_388_608,
  /** Characters of one path or glob; git itself stops at 4,096 bytes. */
  pathCharacters: 4_096,
  intentsPerCall: 5_000,
  dependenciesPerIntent: 1_000,
  labels: 64,
  paths: 1_000,
  claims: 1_000,
  writes: 10_000,
  reads: 10_000,
  globs: 1_000,
  agentsPerJoinToken: 100_000,
  pageRows: 1_000,
  /** The longest wait of a call that waits for work or for an outcome. */
  waitMs: 60_000,
  /** The longest wait that a call may ask for. */
  patienceMs: 86_400_000,
  /** The longest duration that a policy can name: 365 days. */
  policyDurationMs: 31_536_000_000,
  /** Connections that have not sent the whole head of a request yet. */
  halfOpenConnections: 1_024,
  /** Sockets of one agent. */
  socketsPerAgent: 16,
  /** Sockets that an agent may open at once; after that, one a second. */
  socketOpenings: 16,
  /** Messages of agents' sockets of which the end has not come, all together. */
  unfinishedBytes: 100_663_296,
  /** Messages that are read of one socket in a second. */
  framesPerSecond: 100,
  /** As how many messages one counts that asks for nothing that can be done. */
  messagesPerMistake: 5,
  /** Bytes a second of messages above 64 KiB on agents' sockets, all together; what comes faster waits at its sender. */
  longBytesPerSecond: 8_388_608,
  /** Calls that one socket may have under way. */
  callsInFlight: 32,
  /** Waiting bytes after which a reader of the live stream counts as slow. */
  slowReaderBytes: 8_388_608,
  /** Life of a ticket that opens one socket. */
  ticketMs: 30_000,
} as const;

// Every metric that the daemon publishes: one closed catalogue with meaning, unit and labels.
//
//   ME1. Labels have few values: colonies, states, outcomes, endpoints, and the regions that are disturbed right now. Never
//        ids of agents or intents, nor paths.

/** One metric in the terms of Prometheus. */
export interface MetricEntry {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;

/** The whole catalogue (ME1). */
export const metricCatalogue = {
  firetrident_http_requests_total: {
    type: 'counter',
    help: 'Calls answered, by endpoint and status.',
    labels: ['endpoint', 'status'],
  },
  firetrident_http_request_seconds: {
    type: 'histogram',
    help: 'Time from a call’s arrival to its answer, waiting calls included.',
    labels: ['endpoint'],
    buckets: secondsBuckets,
  },
  firetrident_http_in_flight: { type: 'gauge', help: 'Calls that are not answered yet.', labels: [] },
  firetrident_git_readers: {
    type: 'gauge',
    help: 'Clones and fetches over HTTP that are served now, and those that wait.',
    labels: ['state'],
  },
  firetrident_pushes_total: {
    type: 'counter',
    help: 'Pushes over HTTP, by what became of them: landed, unchanged, returned, refused, waiting.',
    labels: ['colony', 'outcome'],
  },
  firetrident_live_sockets: { type: 'gauge', help: 'Open sockets of the live stream.', labels: ['colony', 'reader'] },
  firetrident_live_frames_total: {
    type: 'counter',
    help: 'Frames sent to readers of the live stream.',
    labels: ['colony'],
  },
  firetrident_live_slow_readers_total: {
    type: 'counter',
    help: 'Readers of the live stream that were closed because they were too slow.',
    labels: ['colony'],
  },
  firetrident_events_total: {
    type: 'counter',
    help: 'Durable events since the daemon started.',
    labels: ['colony', 'event'],
  },
  firetrident_sequence: { type: 'gauge', help: 'Sequence of the newest durable event.', labels: ['colony'] },
  firetrident_outcomes_total: {
    type: 'counter',
    help: 'Outcomes of proposals since the daemon started.',
    labels: ['colony', 'outcome'],
  },
  firetrident_intents: { type: 'gauge', help: 'Live intents by state.', labels: ['colony', 'state'] },
  firetrident_agents: { type: 'gauge', help: 'Registered agents by state.', labels: ['colony', 'state'] },
  firetrident_leases: { type: 'gauge', help: 'Live leases by state.', labels: ['colony', 'state'] },
  firetrident_queued_proposals: { type: 'gauge', help: 'Proposals in the lanes or in a cycle.', labels: ['colony'] },
  firetrident_attention: { type: 'gauge', help: 'Things that wait for a person.', labels: ['colony'] },
  firetrident_landing_frozen: { type: 'gauge', help: '1 while landing stands still.', labels: ['colony'] },
  firetrident_worked_seconds: {
    type: 'gauge',
    help: 'Work on all proposals, since the colony began.',
    labels: ['colony'],
  },
  firetrident_wasted_seconds: {
    type: 'gauge',
    help: 'Work that was lost by returns since the colony began; falls when a repair keeps a part of it.',
    labels: ['colony'],
  },
  firetrident_wasted_tokens: {
    type: 'gauge',
    help: 'Tokens that were lost by returns since the colony began, of those that agents declared.',
    labels: ['colony'],
  },
  firetrident_sigma: { type: 'gauge', help: 'Stale returns per landing over the whole colony.', labels: ['colony'] },
  firetrident_region_sigma: {
    type: 'gauge',
    help: 'Stale returns per landing of a region, for the 100 regions with the most.',
    labels: ['colony', 'region'],
  },
  firetrident_inhibition: {
    type: 'gauge',
    help: 'The factor, 1 to 8, that the lane of a region is slowed by, for the same regions.',
    labels: ['colony', 'region'],
  },
  firetrident_lane_delay_seconds: {
    type: 'gauge',
    help: 'The interval of the lane of a region, 0 while it is not inhibited, for the same regions.',
    labels: ['colony', 'region'],
  },
  firetrident_cycle_seconds: {
    type: 'gauge',
    help: 'Mean time of the last cycles, by phase: plan (which holds build and verify), write, refs, journal, whole.',
    labels: ['colony', 'phase'],
  },
  firetrident_cycle_proposals: {
    type: 'gauge',
    help: 'Mean proposals per cycle, over the last cycles.',
    labels: ['colony'],
  },
  firetrident_stage_seconds_total: {
    type: 'counter',
    help: 'Time of proposals, by stage: resolve, decide, keep until answered; then queue, plan, build, verify, write, refs, journal, news.',
    labels: ['colony', 'stage'],
  },
  firetrident_staged_proposals_total: {
    type: 'counter',
    help: 'Proposals that went through these stages: answered ones through the first three, settled ones through the rest.',
    labels: ['colony', 'until'],
  },
  firetrident_verdicts_total: {
    type: 'counter',
    help: 'Observations and merges of validation, recalled because nothing that they were found by moved, or found.',
    labels: ['colony', 'source'],
  },
  firetrident_connections_cut_total: {
    type: 'counter',
    help: 'Connections cut for sending nothing (half-open) or no end (unfinished), and refused for coming back too often (openings).',
    labels: ['why'],
  },
  firetrident_process_resident_bytes: { type: 'gauge', help: 'Resident memory of the daemon.', labels: [] },
  firetrident_process_memory_bytes: {
    type: 'gauge',
    help: 'Memory of the main thread: what its heap takes, what of that is used, and what lies outside of the heap.',
    labels: ['part'],
  },
  firetrident_process_cpu_seconds_total: { type: 'counter', help: 'Processor time of the daemon.', labels: [] },
  firetrident_event_loop_delay_seconds: {
    type: 'gauge',
    help: 'Longest delay of the event loop since the last reading, told too long by 5 ms at most.',
    labels: [],
  },
  firetrident_event_loop_longest_seconds: {
    type: 'gauge',
    help: 'What held the event loop up in its longest delay since the last reading: collecting, working, or not run by the machine.',
    labels: ['part'],
  },
  firetrident_event_loop_busy_ratio: {
    type: 'gauge',
    help: 'Share of the time since the last reading in which the event loop was busy, 0 to 1.',
    labels: [],
  },
} as const satisfies Record<string, MetricEntry>;

export type MetricName = keyof typeof metricCatalogue;

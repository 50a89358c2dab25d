// Starts a daemon: settings, the lock of the data directory, the colonies, the server; and stops it in reverse.
//
//   MA1. One daemon at a time uses a data directory; a second one is refused and told who holds it.
//   MA2. What was started is stopped again when a later step fails.
//   MA3. Stopping twice is stopping once.
//   MA4. Shutdown: no call more; calls under way are answered; sockets are told where to resume; the colonies close.
//   MA5. A broken assumption ends the process at once, with one line of the log and a code that says so: what was
//        acknowledged is durable, and the next start recovers it. Going on might spoil that.

import { mkdirSync } from 'node:fs';
import process from 'node:process';
import { acquireDirectoryLock, behindMain, type DirectoryLock, stepRuntimeBack } from '@firetrident/adapters';
import type { Colony } from '@firetrident/engine';
import { wireLimits } from '@firetrident/protocol';
import { Gate } from './auth.ts';
import { BodyBudget } from './body.ts';
import type { ColonyDirectory } from './colony-directory.ts';
import { type ComposeSettings, openColonies } from './compose.ts';
import {
  type DaemonConfiguration,
  type DaemonOptions,
  defaultPort,
  type Environment,
  readEnvironment,
  resolveConfiguration,
} from './config.ts';
import { followedDirectory } from './followed-directory.ts';
import { createHandlers } from './handlers/all.ts';
import { InFlight } from './http-call.ts';
import { LiveDesk, type LiveTools } from './live/upgrade.ts';
import { createLogger, type Logger, type LogStream } from './logger.ts';
import { MetricsDesk } from './metrics.ts';
import { hashToken, loadAdminToken } from './secrets.ts';
import { createHttpServer, type ListenRefusal, listen, serverUrl } from './server.ts';
import { placeTrouble, storageTrouble } from './storage-failure.ts';
import { createSurfaces } from './surfaces.ts';
import { TicketOffice } from './tickets.ts';

/** How long a shutdown lets calls end by themselves before those that wait are told to. */
const graceMs = 1_000;
/** Exit code of a daemon whose assumptions are broken: by custom that of a fault in the program itself. */
const brokenExitCode = 70;

/** Why a daemon did not start. */
export type StartProblem = 'configuration' | 'data-held' | 'data-unusable' | 'port';

/** A daemon that did not start, with a sentence for a person. */
export class StartError extends Error {
  readonly kind: StartProblem;

  constructor(kind: StartProblem, message: string) {
    super(message);
    this.name = 'StartError';
    this.kind = kind;
  }
}

/** What tests may set beside the options. */
export interface StartSurroundings {
  readonly environment?: Environment;
  /** Where log lines go; standard error by default. */
  readonly logStream?: LogStream;
  /** Where fault tests reach into the colonies. */
  readonly faults?: NonNullable<ComposeSettings['faults']>;
  /** What ends the process when an assumption is broken (MA5). */
  readonly exit?: (code: number) => void;
}

/** A daemon that serves. */
export interface RunningDaemon {
  readonly url: string;
  readonly adminToken: string;
  readonly processId: number;
  readonly configuration: DaemonConfiguration;
  /** The port that was wanted and taken by someone else, or null. */
  readonly portTaken: number | null;
  readonly colonies: ColonyDirectory;
  /** Answers what is under way, closes everything and lets go of the data directory (MA3). */
  stop(): Promise<void>;
}

/** Starts a daemon. Rejects with a StartError when it cannot (MA1, MA2). */
export async function startDaemon(
  options: DaemonOptions,
  surroundings: StartSurroundings = {},
): Promise<RunningDaemon> {
  const resolved = resolveConfiguration(options, surroundings.environment ?? readEnvironment());
  if (!resolved.ok) throw new StartError('configuration', resolved.error.message);
  const configuration = resolved.value;
  const logger = createLogger(configuration.logLevel, surroundings.logStream ?? null);
  const undo: (() => void | Promise<void>)[] = [];
  try {
    const lock = holdData(configuration.data, logger);
    undo.push(() => lock.release());
    const adminToken = readAdminToken(configuration.data);
    stepRuntimeBack(behindMain.runtime);
    const broken = breakLoudly(logger, surroundings.exit ?? ((code) => process.exit(code)));
    const colonies = await openData(configuration.data, logger, broken, surroundings.faults);
    undo.push(() => colonies.close());
    return await serve(configuration, logger, adminToken, colonies, lock);
  } catch (error) {
    for (const step of undo.reverse()) await step();
    throw error;
  }
}

function holdData(data: string, logger: Logger): DirectoryLock {
  try {
    mkdirSync(data, { recursive: true });
    const lock = acquireDirectoryLock(data, { purpose: 'data-directory' });
    if (!lock.ok) throw new StartError('data-held', `${data} is in use. ${lock.error.message}`);
    if (lock.value.abandonedBy !== null) {
      logger.warn('the last daemon here did not shut down cleanly; recovering', { holder: lock.value.abandonedBy });
    }
    return lock.value;
  } catch (error) {
    throw dataProblem(data, error);
  }
}

function readAdminToken(data: string): string {
  try {
    return loadAdminToken(data);
  } catch (error) {
    throw dataProblem(data, error);
  }
}

/** What a broken assumption does (MA5). */
function breakLoudly(logger: Logger, exit: (code: number) => void): (error: unknown) => void {
  return (error) => {
    const known = error instanceof Error ? error : new Error(String(error));
    const facts = { problem: known.message, stack: known.stack };
    logger.error('an assumption of ours is broken; the daemon ends, and recovers when it is started again', facts);
    exit(brokenExitCode);
  };
}

async function openData(
  data: string,
  logger: Logger,
  broken: ComposeSettings['broken'],
  faults: StartSurroundings['faults'],
): Promise<ColonyDirectory> {
  try {
    const settings = { dataDirectory: data, log: logger, broken };
    return await openColonies(faults === undefined ? settings : { ...settings, faults });
  } catch (error) {
    throw dataProblem(data, error);
  }
}

function dataProblem(data: string, error: unknown): StartError {
  if (error instanceof StartError) return error;
  const trouble = storageTrouble(error) ?? placeTrouble(data);
  const problem = trouble?.problem ?? (error instanceof Error ? error.message : String(error));
  const sentence = `The data directory ${data} cannot be used: ${problem.replace(/\.$/, '')}.`;
  const refusal = new StartError('data-unusable', trouble === null ? sentence : `${sentence} ${trouble.hint}`);
  refusal.cause = error;
  return refusal;
}

async function serve(
  configuration: DaemonConfiguration,
  logger: Logger,
  adminToken: string,
  colonies: ColonyDirectory,
  lock: DirectoryLock,
): Promise<RunningDaemon> {
  const { tools, live, metrics } = assemble(configuration, logger, adminToken, colonies);
  for (const colony of colonies.list()) live.follow(colony);
  const server = createHttpServer(tools, createSurfaces(tools, configuration));
  server.on('upgrade', (request, stream, head) => live.upgrade(request, stream, head));
  const { host, port: wanted } = configuration;
  const first = await listen(server, { host, port: wanted.number });
  const isTaken = !first.ok && first.error.kind === 'taken' && wanted.fallback;
  const port = isTaken ? await listen(server, { host, port: 0 }) : first;
  if (!port.ok) {
    live.close();
    metrics.close();
    throw new StartError('port', portProblem(host, wanted.number, port.error));
  }
  if (isTaken) logger.warn('the default port is taken; using a free one', { wanted: defaultPort, port: port.value });
  const url = serverUrl(host, port.value);
  tools.ownOrigins.add(new URL(url).origin).add(`http://localhost:${port.value}`);
  logger.info('serving', { url, data: configuration.data, colonies: colonies.list().length });
  let stopping: Promise<void> | null = null;
  // (MA4)
  const stop = async () => {
    logger.info('shutting down', { callsUnderWay: tools.inFlight.calls });
    server.close();
    const answered = tools.inFlight.close();
    await within(Math.min(graceMs, configuration.shutdownMs), answered);
    live.close();
    // Closing the colonies also answers the calls that wait for work or for an outcome.
    await colonies.close();
    await within(configuration.shutdownMs, answered);
    server.closeAllConnections();
    metrics.close();
    lock.release();
    logger.info('stopped', { callsCut: tools.inFlight.calls });
  };
  return {
    url,
    adminToken,
    processId: process.pid,
    configuration,
    portTaken: isTaken ? wanted.number : null,
    colonies: tools.directory,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

interface Assembly {
  readonly tools: LiveTools & { readonly ownOrigins: Set<string> };
  readonly live: LiveDesk;
  readonly metrics: MetricsDesk;
}

function assemble(
  configuration: DaemonConfiguration,
  logger: Logger,
  adminToken: string,
  colonies: ColonyDirectory,
): Assembly {
  const tickets = new TicketOffice();
  const now = () => Date.now();
  const metrics: MetricsDesk = new MetricsDesk(
    () => colonies.list(),
    (colony) => live.readers(colony),
  );
  const directory = followedDirectory(colonies, {
    opened: (colony: Colony) => live.follow(colony),
    closing: (colony: Colony) => live.unfollow(colony),
    removed: (id: string) => metrics.forget(id),
  });
  const ownOrigins = new Set(configuration.origins);
  const tools = {
    directory,
    gate: new Gate(hashToken(adminToken), () => colonies.list()),
    handlers: createHandlers({ directory, tickets, metrics, now }),
    metrics,
    logger,
    isOriginAllowed: (origin: string) => ownOrigins.has(origin),
    hosts: isLoopback(configuration.host) ? loopbackNames : null,
    inFlight: new InFlight(),
    bodies: new BodyBudget(wireLimits.bodiesBytes),
    elapsed: () => performance.now(),
    tickets,
    now,
    ownOrigins,
  };
  const live: LiveDesk = new LiveDesk(tools);
  return { tools, live, metrics };
}

/** How this machine calls itself; a page that a name server led here calls it something else. */
const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

function portProblem(host: string, port: number, refusal: ListenRefusal): string {
  switch (refusal.kind) {
    case 'taken':
      return `Port ${port} of ${host} is taken. Name another with --port, or leave it out.`;
    case 'not-allowed':
      return `Port ${port} may not be used by this user. Name one above 1023.`;
    case 'no-such-address':
      return `This machine has no address ${host}.`;
    case 'other':
      return `Cannot listen on ${host}:${port}: ${refusal.problem}`;
  }
}

/** Waits for a promise, but no longer than `boundMs`. */
async function within(boundMs: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, boundMs);
  });
  await Promise.race([promise, bound]);
  clearTimeout(timer);
}

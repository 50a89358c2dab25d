// The composer: puts the engine on real ports, one colony per directory.
//
// Layout of the data directory: `colonies/<id>/trunk.git` is the bare repository, `colonies/<id>/` holds the journal.
//
// Invariants:
//   CO1. A colony appears under its id whole or not at all: it is made under another name and renamed into place.
//   CO2. A colony that is removed disappears under its id at once; what is left of it is cleared afterwards.
//   CO3. When one colony cannot be opened at the start, those that were opened are closed again.

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { NodeDisk, NodeGit, nodeClock, nodeCodec, SqliteJournal, startRoom } from '@firetrident/adapters';
import { no, ok, type Result } from '@firetrident/base';
import {
  type Colony,
  type EnginePorts,
  type FaultPoint,
  type Founding,
  type Log,
  openColony,
  type StorageFailure,
  StorageFailureError,
} from '@firetrident/engine';
import { type Journal, JournalError } from '@firetrident/journal';
import { readGitAddress } from '@firetrident/protocol';
import {
  importRepository,
  readRecentChanges,
  TrunkError,
  type TrunkErrorKind,
  TrunkRepository,
} from '@firetrident/trunk';
import type { ColonyDirectory, CreateColony, DirectoryRefusal, RepositorySource } from './colony-directory.ts';
import { storageTrouble } from './storage-failure.ts';
import { credentialEnvironment } from './upstream/credentials.ts';
import { withoutSecrets } from './upstream/settings.ts';
import { Upstream } from './upstream/upstream.ts';
import { withUpstream } from './upstream/upstream-trunk.ts';

/** Names of colonies that are being made or cleared; no colony can have such a name. */
const makingPrefix = '.making-';
const removedPrefix = '.removed-';
/** How a colony began; used when its journal is still empty. */
const foundingFile = 'founding.json';
/** Folders looked at for packages of a workspace. */
const packageLimit = 1_000;
/** Commits that a colony learns from when it begins. */
const learnedCommits = 2_000;

/** What the colonies of a daemon stand on. `faults` are for fault tests only. */
export interface ComposeSettings {
  readonly dataDirectory: string;
  readonly log: Log;
  /** Hears of a broken assumption: nothing in memory is to be trusted any more. */
  readonly broken: (error: unknown) => void;
  readonly faults?: { readonly roomModule: string | null; readonly reached: (point: FaultPoint) => void };
}

/** Opens every colony of the data directory. Rejects, naming the colony, when one cannot be opened. */
export async function openColonies(settings: ComposeSettings): Promise<ColonyDirectory> {
  const house = new ColonyHouse(settings);
  await house.openAll();
  return house;
}

class ColonyHouse implements ColonyDirectory {
  readonly #settings: ComposeSettings;
  readonly #root: string;
  readonly #colonies = new Map<string, Colony>();
  readonly #making = new Set<string>();
  readonly #upstreams = new Map<string, Upstream>();

  constructor(settings: ComposeSettings) {
    this.#settings = settings;
    this.#root = join(settings.dataDirectory, 'colonies');
  }

  async openAll(): Promise<void> {
    mkdirSync(this.#root, { recursive: true });
    for (const name of readdirSync(this.#root).sort()) {
      if (name.startsWith(makingPrefix) || name.startsWith(removedPrefix)) {
        this.#settings.log.warn('what was left of a colony that is half made or removed is cleared', { name });
        rmSync(join(this.#root, name), { recursive: true, force: true });
        continue;
      }
      try {
        this.#colonies.set(name, await this.#open(name));
      } catch (error) {
        // (CO3)
        await this.close();
        throw namingColony(name, error);
      }
    }
  }

  get(id: string): Colony | null {
    return this.#colonies.get(id) ?? null;
  }

  upstream(id: string): Upstream | null {
    return this.#upstreams.get(id) ?? null;
  }

  list(): readonly Colony[] {
    return [...this.#colonies.keys()].sort().map((id) => this.#colonies.get(id) as Colony);
  }

  async create(request: CreateColony): Promise<Result<Colony, DirectoryRefusal>> {
    const { id } = request;
    if (this.#colonies.has(id) || this.#making.has(id)) return no({ code: 'colony_exists', id });
    this.#making.add(id);
    const making = join(this.#root, `${makingPrefix}${id}`);
    try {
      rmSync(making, { recursive: true, force: true });
      mkdirSync(making, { recursive: true });
      writeFileSync(join(making, foundingFile), JSON.stringify(await this.#found(making, request)), { flush: true });
      syncDirectory(making);
      renameSync(making, join(this.#root, id));
      syncDirectory(this.#root);
      const colony = await this.#open(id).catch((error: unknown) => {
        // (CO1)
        this.#clear(id);
        throw error;
      });
      this.#colonies.set(id, colony);
      return ok(colony);
    } catch (error) {
      return no(refusalOf(request, error));
    } finally {
      this.#making.delete(id);
      rmSync(making, { recursive: true, force: true });
    }
  }

  async remove(id: string): Promise<Result<null, DirectoryRefusal>> {
    const colony = this.#colonies.get(id);
    if (colony === undefined) return no({ code: 'unknown_colony', id });
    this.#colonies.delete(id);
    const stopped = this.#upstreams.get(id)?.stop();
    this.#upstreams.delete(id);
    await stopped;
    await colony.close();
    this.#clear(id);
    return ok(null);
  }

  /** Takes a directory out of its place in one step, then removes it (CO2). */
  #clear(id: string): void {
    const removed = join(this.#root, `${removedPrefix}${id}`);
    rmSync(removed, { recursive: true, force: true });
    renameSync(join(this.#root, id), removed);
    rmSync(removed, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    const open = [...this.#colonies.values()];
    this.#colonies.clear();
    // What waits for an upstream would keep its colony from closing.
    const stopped = [...this.#upstreams.values()].map((upstream) => upstream.stop());
    this.#upstreams.clear();
    await Promise.all(stopped);
    await Promise.all(open.map((colony) => colony.close()));
  }

  /** Makes the repository of a colony and says how it begins. */
  async #found(directory: string, request: CreateColony): Promise<Founding> {
    const disk = new NodeDisk();
    const place = join(directory, 'trunk.git');
    const now = nodeClock().now();
    const person = { name: `FireTrident ${request.id}`, email: 'colony@firetrident.invalid' };
    const repository =
      request.source.kind === 'empty'
        ? TrunkRepository.create(disk, nodeCodec, {
            directory: place,
            branch: request.branch ?? 'main',
            committer: person,
            timeSeconds: Math.floor(now / 1_000),
          })
        : await importFrom(request.source, request.branch, place);
    return {
      id: request.id,
      branch: repository.branch,
      packages: packageFolders(repository),
      policy: request.policy,
      seed: now % 4_294_967_296,
      history: await readRecentChanges(new NodeGit(), place, repository.branch, learnedCommits),
    };
  }

  async #open(id: string): Promise<Colony> {
    const directory = join(this.#root, id);
    const founding = JSON.parse(readFileSync(join(directory, foundingFile), 'utf8')) as Founding;
    const repository = join(directory, 'trunk.git');
    const faults = this.#settings.faults;
    const branch = TrunkRepository.open(new NodeDisk(), nodeCodec, { directory: repository }).branch;
    const { broken } = this.#settings;
    const room = startRoom({ directory: repository, branch, faults: faults?.roomModule ?? null }, broken);
    const { log } = this.#settings;
    const clock = nodeClock();
    const upstream = new Upstream({ colony: id, directory, repository, branch, log, clock });
    const trunk = withUpstream(room, upstream);
    const ports: EnginePorts = {
      clock,
      log: this.#settings.log,
      trunk,
      blobHash,
      openJournal: () => openJournal(directory),
      reached: faults?.reached ?? (() => undefined),
      broken,
    };
    const colony = await openColony(ports, id, repository, founding).catch(async (error: unknown) => {
      await upstream.stop();
      await trunk.close();
      throw error;
    });
    this.#upstreams.set(id, upstream);
    upstream.follow(colony);
    return colony;
  }
}

/** Makes a repository with the history of another; a password in its address is in no argument of git. */
function importFrom(
  source: Exclude<RepositorySource, { kind: 'empty' }>,
  branch: string | null,
  directory: string,
): Promise<TrunkRepository> {
  const address = source.kind === 'path' ? ok({ bare: source.path, credentials: null }) : readGitAddress(source.url);
  if (!address.ok) throw new TrunkError('not-a-repository', `the address ${address.error}`);
  const git = new NodeGit({ environment: credentialEnvironment(address.value) });
  const options = { source: address.value.bare, directory, ...(branch === null ? {} : { branch }) };
  return importRepository(git, new NodeDisk(), nodeCodec, options);
}

/** Makes names that were created or renamed in a directory durable. */
function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function blobHash(bytes: Uint8Array): string {
  return Buffer.from(nodeCodec.sha1([Buffer.from(`blob ${bytes.length}\0`), bytes])).toString('hex');
}

async function openJournal(directory: string): Promise<Result<Journal, StorageFailure>> {
  try {
    return ok(await SqliteJournal.open(directory));
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return no({ problem: error.message, hint: error.hint, retry: error.kind === 'full' || error.kind === 'read-only' });
  }
}

/** What a colony that could not be made is refused with; a broken assumption goes up as it is. */
function refusalOf(request: CreateColony, error: unknown): DirectoryRefusal {
  const trouble = storageTrouble(error);
  if (trouble !== null) return trouble;
  if (error instanceof TrunkError) {
    const { source } = request;
    const named =
      source.kind === 'path' ? source.path : source.kind === 'url' ? withoutSecrets(source.url) : 'an empty repository';
    return { code: 'repository_unusable', source: named, problem: error.message, hint: repositoryHints[error.kind] };
  }
  throw error;
}

/** The same trouble with the name of the colony that has it; a broken assumption stays as it is. */
function namingColony(id: string, error: unknown): unknown {
  const trouble = storageTrouble(error);
  if (trouble !== null) return new StorageFailureError(`colony ${id}: ${trouble.problem}`, trouble.hint, false);
  if (!(error instanceof TrunkError)) return error;
  return new StorageFailureError(`colony ${id}: ${error.message}`, repositoryHints[error.kind], false);
}

const repositoryHints: Readonly<Record<TrunkErrorKind, string>> = {
  'not-a-repository': 'name the folder or address of a git repository',
  unsupported: 'use a SHA-1 repository with complete history and ordinary refs',
  exists: 'remove what lies in the way, or take another id',
  empty: 'commit something first, or create an empty colony',
  'missing-branch': 'name a branch that the repository has',
  'missing-object': 'check the repository with git fsck',
  corrupt: 'check the repository with git fsck',
  'git-failed': 'see what git said',
};

/** Folders with a package manifest of their own, below the root. */
function packageFolders(repository: TrunkRepository): string[] {
  const folders: string[] = [];
  for (const path of repository.commitTree(repository.tip()).paths()) {
    if (path.endsWith('/package.json')) folders.push(path.slice(0, -'/package.json'.length));
    if (folders.length === packageLimit) break;
  }
  return folders;
}

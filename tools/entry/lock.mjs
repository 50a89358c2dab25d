// One starter at a time prepares the machine; the others wait for it.
//
// The lock is a directory that holds its owner's process ids. It appears by one rename, so it is never seen empty.
//
// Invariants:
//   LK1. At most one live starter is inside; a starter whose installer still runs counts as live.
//   LK2. A lock whose owner and installer are gone is taken over, so a kill at any moment blocks nobody.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

/** @typedef {{ host: string, pid: number, installer: number | null }} Owner */
/** @typedef {{ installing(pid: number): void }} Held names the installer's process id, so that it outlives its starter safely */

const pollMs = 200;
const heartbeatMs = 2_000;
// Owners on another host cannot be asked whether they live; silence this long says that they do not.
const silentMs = 60_000;
// On this host a process id may have gone to another program since. An installer whose starter was killed is silent, too,
// so this is longer than an install takes.
const forgottenMs = 600_000;

/**
 * Runs `action` while holding the lock at `place`, waiting for other holders first. `waiting` is called once
 * when there is somebody to wait for.
 *
 * @template T
 * @param {string} place
 * @param {(owner: Owner) => void} waiting
 * @param {(held: Held) => Promise<T>} action
 * @returns {Promise<T>}
 */
export async function withLock(place, waiting, action) {
  await mkdir(path.dirname(place), { recursive: true });
  /** @type {Owner} */
  const owner = { host: os.hostname(), pid: process.pid, installer: null };
  await acquire(place, owner, waiting);
  const ownerFile = path.join(place, 'owner.json');
  const beat = setInterval(() => {
    const now = new Date();
    // A missed beat only matters after a minute of them, and then the lock is gone anyway.
    utimes(ownerFile, now, now).catch(() => undefined);
  }, heartbeatMs);
  beat.unref();
  let written = Promise.resolve();
  try {
    return await action({
      installing(pid) {
        written = replaceFile(ownerFile, JSON.stringify({ ...owner, installer: pid }));
      },
    });
  } finally {
    clearInterval(beat);
    await written;
    await rm(place, { recursive: true, force: true });
  }
}

/**
 * @param {string} place
 * @param {Owner} owner
 * @param {(owner: Owner) => void} waiting
 */
async function acquire(place, owner, waiting) {
  let told = false;
  while (!(await tryAcquire(place, owner))) {
    const seen = await readOwner(place);
    if (seen === undefined) continue; // released between our two looks
    if (!(await isLive(place, seen))) {
      await takeAway(place, seen); // (LK2)
      continue;
    }
    if (!told) waiting(seen);
    told = true;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/**
 * Puts a filled directory at `place` by one rename, which fails when another stands there (LK1).
 *
 * @param {string} place
 * @param {Owner} owner
 */
async function tryAcquire(place, owner) {
  const own = `${place}-${process.pid}-${randomBytes(6).toString('hex')}`;
  await mkdir(own);
  await writeFile(path.join(own, 'owner.json'), JSON.stringify(owner));
  try {
    await rename(own, place);
    return true;
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    const code = /** @type {NodeJS.ErrnoException} */ (error).code ?? '';
    if (['EEXIST', 'ENOTEMPTY', 'EPERM', 'ENOTDIR'].includes(code) && (await readOwner(place)) !== undefined)
      return false;
    if (['EEXIST', 'ENOTEMPTY'].includes(code)) return false;
    throw error;
  }
}

/**
 * @param {string} place
 * @returns {Promise<Owner | undefined>} undefined when nobody holds the lock
 */
async function readOwner(place) {
  try {
    return JSON.parse(await readFile(path.join(place, 'owner.json'), 'utf8'));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * @param {string} place
 * @param {Owner} owner
 */
async function isLive(place, owner) {
  const here = owner.host === os.hostname();
  if (here && !isRunning(owner.pid) && (owner.installer === null || !isRunning(owner.installer))) return false;
  try {
    const { mtimeMs } = await stat(path.join(place, 'owner.json'));
    return Date.now() - mtimeMs < (here ? forgottenMs : silentMs);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return true; // released: the next round sees it
    throw error;
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * Whether a process has ended and only waits for its parent to notice, which in a container may be never.
 *
 * @param {number} pid
 */
function isZombie(pid) {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, ''));
  } catch {
    return false; // no such file: another system than Linux, or gone meanwhile, which the next round sees
  }
}

/**
 * Removes a dead owner's lock. Two starters may see the same dead owner; the one that moved away a lock which was
 * taken meanwhile puts it back.
 *
 * @param {string} place
 * @param {Owner} dead
 */
async function takeAway(place, dead) {
  const aside = `${place}-dead-${process.pid}-${randomBytes(6).toString('hex')}`;
  try {
    await rename(place, aside);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return;
    throw error;
  }
  const moved = await readOwner(aside);
  if (moved !== undefined && moved.pid !== dead.pid) await rename(aside, place);
  else await rm(aside, { recursive: true, force: true });
}

/**
 * @param {string} file
 * @param {string} text
 */
async function replaceFile(file, text) {
  await writeFile(`${file}.part`, text);
  await rename(`${file}.part`, file);
}

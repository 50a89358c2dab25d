// Who lands the workload through stock git: one long-lived fast-import, tuned as well as we know, and plumbing per commit.

import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type BenchCommit, type BenchCycle, person, seedFiles, startSeconds } from './trunk-workload.ts';

/** Without these the allocator gives memory back and takes it again for every object. */
const allocatorTuning = {
  MALLOC_TRIM_THRESHOLD_: '268435456',
  MALLOC_TOP_PAD_: '33554432',
  MALLOC_MMAP_THRESHOLD_: '268435456',
};

function git(directory: string, args: readonly string[], input?: string | Uint8Array, env: object = {}): string {
  const options = { input, env: { ...process.env, ...env }, maxBuffer: 1 << 28 };
  return execFileSync('git', ['--git-dir', directory, ...args], options)
    .toString()
    .trim();
}

function initialise(directory: string): void {
  execFileSync('git', ['init', '-q', '--bare', '--template=', '-b', 'main', directory]);
  for (const [key, value] of Object.entries({ 'core.fsync': 'all', 'gc.auto': '0', 'fastimport.unpackLimit': '1' })) {
    git(directory, ['config', key, value]);
  }
}

function signature(seconds: number): string {
  return `${person.name} <${person.email}> ${seconds} +0000`;
}

function data(bytes: string | Uint8Array): Buffer {
  const content = Buffer.from(bytes);
  return Buffer.concat([Buffer.from(`data ${content.length}\n`), content, Buffer.from('\n')]);
}

function commitStream(ref: string, mark: number, seconds: number, from: string, commit: BenchCommit): Buffer[] {
  const head = `commit ${ref}\nmark :${mark}\nauthor ${signature(seconds)}\ncommitter ${signature(seconds)}\n`;
  const parts = [Buffer.from(head), data(commit.message), Buffer.from(from === '' ? '' : `from ${from}\n`)];
  for (const file of commit.files) parts.push(Buffer.from(`M 100644 inline ${file.path}\n`), data(file.bytes));
  parts.push(Buffer.from('\n'));
  return parts;
}

/** A process that is written to and answers in lines. */
class LineProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  constructor(directory: string, args: readonly string[]) {
    this.child = spawn('git', ['--git-dir', directory, ...args], { env: { ...process.env, ...allocatorTuning } });
    this.child.stderr.pipe(process.stderr);
    this.#lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('git ended early');
    return value;
  }
}

/** Long-lived fast-import to staging refs with a checkpoint per cycle, then compare-and-swap of the real ones. */
export class FastImport {
  readonly directory: string;
  readonly #importer: LineProcess;
  readonly #refs: LineProcess;
  #mark = 0;
  #seconds = startSeconds + 1;
  #tip = '';
  #notes = '';

  constructor(directory: string) {
    this.directory = directory;
    initialise(directory);
    this.#importer = new LineProcess(directory, ['fast-import', '--quiet', '--date-format=raw', '--done']);
    this.#refs = new LineProcess(directory, ['update-ref', '--stdin']);
  }

  async seed(): Promise<void> {
    await this.land([{ message: 'Seed\n', files: seedFiles(), note: '{}\n' }]);
  }

  async land(cycle: BenchCycle): Promise<void> {
    this.#seconds += 1;
    const parts: Buffer[] = [];
    const notes: Buffer[] = [];
    let from = this.#tip;
    for (const commit of cycle) {
      this.#mark += 1;
      parts.push(...commitStream('refs/staging/main', this.#mark, this.#seconds, from, commit));
      notes.push(Buffer.from(`N inline :${this.#mark}\n`), data(commit.note));
      from = `:${this.#mark}`;
    }
    this.#mark += 1;
    const head = `commit refs/staging/notes\nmark :${this.#mark}\ncommitter ${signature(this.#seconds)}\n`;
    parts.push(Buffer.from(head), data('Notes\n'), Buffer.from(this.#notes === '' ? '' : `from ${this.#notes}\n`));
    parts.push(...notes, Buffer.from('\n'));
    const last = `get-mark :${this.#mark - 1}\nget-mark :${this.#mark}\ncheckpoint\nprogress done\n`;
    parts.push(Buffer.from(last));
    this.#importer.child.stdin.write(Buffer.concat(parts));
    const tip = await this.#importer.line();
    const notesTip = await this.#importer.line();
    await this.#importer.line();
    await this.#swap(tip, notesTip);
  }

  async #swap(tip: string, notesTip: string): Promise<void> {
    const zero = '0'.repeat(40);
    const notes = `update refs/notes/firetrident ${notesTip} ${this.#notes || zero}\n`;
    const main = `update refs/heads/main ${tip} ${this.#tip || zero}\n`;
    this.#refs.child.stdin.write(`start\n${notes}${main}prepare\ncommit\n`);
    for (const expected of ['start: ok', 'prepare: ok', 'commit: ok']) {
      const line = await this.#refs.line();
      if (line !== expected) throw new Error(line);
    }
    this.#tip = tip;
    this.#notes = notesTip;
  }

  async close(): Promise<void> {
    const ended = [this.#importer, this.#refs].map(({ child }) => new Promise((resolve) => child.on('close', resolve)));
    this.#importer.child.stdin.end('done\n');
    this.#refs.child.stdin.end();
    await Promise.all(ended);
  }
}

/** One git process after another, for every commit: what a script would do. */
export class Plumbing {
  readonly directory: string;
  #seconds = startSeconds + 1;

  constructor(directory: string) {
    this.directory = directory;
    initialise(directory);
    const seed = { message: 'Seed\n', files: seedFiles(), note: '{}\n' };
    const stream = Buffer.concat([
      ...commitStream('refs/heads/main', 1, this.#seconds, '', seed),
      Buffer.from('done\n'),
    ]);
    git(directory, ['fast-import', '--quiet', '--done'], stream, allocatorTuning);
  }

  land(commit: BenchCommit): void {
    this.#seconds += 1;
    const when = `${this.#seconds} +0000`;
    const env = {
      GIT_INDEX_FILE: `${this.directory}/bench-index`,
      GIT_AUTHOR_NAME: person.name,
      GIT_AUTHOR_EMAIL: person.email,
      GIT_AUTHOR_DATE: when,
      GIT_COMMITTER_NAME: person.name,
      GIT_COMMITTER_EMAIL: person.email,
      GIT_COMMITTER_DATE: when,
    };
    const parent = git(this.directory, ['rev-parse', 'refs/heads/main']);
    git(this.directory, ['read-tree', parent], '', env);
    const lines = commit.files.map((file) => {
      return `100644 ${git(this.directory, ['hash-object', '-w', '--stdin'], file.bytes)}\t${file.path}`;
    });
    git(this.directory, ['update-index', '--index-info'], `${lines.join('\n')}\n`, env);
    const tree = git(this.directory, ['write-tree'], '', env);
    const oid = git(this.directory, ['commit-tree', tree, '-p', parent], commit.message, env);
    git(this.directory, ['notes', '--ref', 'firetrident', 'add', '-F', '-', oid], commit.note, env);
    git(this.directory, ['update-ref', 'refs/heads/main', oid, parent]);
  }
}

/** What stock git says of the result; throws when it finds anything wrong. */
export function checkWithGit(directory: string, commits: number): string {
  const fsck = execFileSync('git', ['--git-dir', directory, 'fsck', '--strict', '--no-progress'], { stdio: 'pipe' });
  const landed = Number(git(directory, ['rev-list', '--count', '--first-parent', 'refs/heads/main']));
  const noted = git(directory, ['notes', '--ref', 'firetrident', 'list']).split('\n').length;
  if (landed < commits || noted < commits)
    throw new Error(`${directory}: ${landed} commits, ${noted} notes of ${commits}`);
  const problems = fsck
    .toString()
    .trim()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('dangling'));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  git(directory, ['notes', '--ref', 'firetrident', 'show', 'refs/heads/main']);
  return `fsck --strict clean, ${landed} commits, ${noted} notes`;
}

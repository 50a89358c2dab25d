// A daemon that kills itself with SIGKILL at one named step, once it is armed. Arguments as those of `firetrident up`;
// step-names.ts says what arms it. Steps of the trunk thread are in step-room.ts, those of the main thread here.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { startDaemon } from '@firetrident/daemon';
import type { FaultPoint } from '@firetrident/engine';
import { dieAt, intendedFile, isArmedFor, type Step } from './step-names.ts';

const { values } = parseArgs({
  options: { data: { type: 'string' }, port: { type: 'string' }, json: { type: 'boolean' } },
  allowPositionals: true,
});

/** Events whose append kills with its answer, before anybody in here hears that they are durable. */
const durable: readonly (readonly [Step, string])[] = [
  ['cycle-started-durable', 'cycle-started'],
  ['commit-durable-nobody-told', 'cycle-committed'],
];

interface JournalRequest {
  readonly operation: string;
  readonly group?: { readonly events: readonly string[] };
}

/** Watches what goes to the threads of the journal. */
function watchJournal(): void {
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (this: Worker, message: unknown, ...rest: unknown[]) {
    const requests = Array.isArray(message) ? (message as JournalRequest[]) : [];
    const carries = (text: string) =>
      requests.some(({ group }) => group?.events.some((event) => event.includes(text)) === true);
    // An append that never arrives: what it would make durable is not.
    if (isArmedFor('pack-durable-intention-not') && carries('"kind":"cycle-intended"')) return;
    // All parts of a snapshot are written, and the transaction that ends it has not come.
    if (requests.some(({ operation }) => operation === 'end-snapshot')) dieAt('during-snapshot');
    for (const [step, kind] of durable)
      if (isArmedFor(step) && carries(`"kind":"${kind}"`)) this.prependOnceListener('message', () => dieAt(step));
    Reflect.apply(post, this, [message, ...rest]);
  } as typeof post;
}

/** Watches how a colony is put into its place. */
function watchMaking(): void {
  const rename = fs.renameSync;
  fs.renameSync = (from, to) => {
    const isMaking = String(from).includes('/.making-') && !String(from).includes('trunk.git');
    if (isMaking) dieAt('colony-made-not-placed');
    rename(from, to);
    if (isMaking) dieAt('colony-placed-not-opened');
    if (String(from).includes('/.making-')) dieAt('colony-half-made');
  };
  syncBuiltinESMExports();
}

const seen = new Set<FaultPoint>();
function reached(point: FaultPoint): void {
  if (point === 'cycle-started') seen.clear();
  seen.add(point);
  if (point === 'cycle-started') dieAt('cycle-started-not-durable');
  if (point === 'intention-durable') {
    if (isArmedFor('pack-renamed-index-not')) fs.writeFileSync(intendedFile, '');
    dieAt('intention-durable-pack-not');
  }
  if (point === 'pack-written') dieAt('pack-durable-intention-not');
  if (seen.has('intention-durable') && seen.has('pack-written')) dieAt('intention-and-pack-durable');
  if (point === 'refs-moved') dieAt('trunk-moved-journal-not');
}

watchJournal();
watchMaking();
const daemon = await startDaemon(
  { data: String(values.data), port: Number(values.port) },
  { environment: {}, faults: { roomModule: new URL('./step-room.ts', import.meta.url).href, reached } },
);
process.once('SIGTERM', () => void daemon.stop().then(() => process.exit(0)));
process.stdout.write(`${JSON.stringify({ url: daemon.url, adminToken: daemon.adminToken, pid: process.pid })}\n`);

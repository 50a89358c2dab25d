// Loaded by the trunk thread: builds another cycle than was planned, honestly in every other respect, so that only the
// comparison with what was proposed can tell. The kind of wrong is the name of the colony; the commit in question is
// the one whose title says "victim", and what it does wrong stays in the trees of the commits after it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { NodeDisk, nodeCodec, type RoomFaults } from '@firetrident/adapters';
import { notesRef, type PreparedCycle, type Tree, type TreeChange, TrunkRepository } from '@firetrident/trunk';

const { directory } = workerData as { readonly directory: string };
const kind = basename(dirname(directory));

/** What is done to the tree of the victim's commit. */
function wrongChanges(tree: Tree): TreeChange[] {
  const base = tree.entry('base.txt');
  switch (kind) {
    case 'extra-path':
      return [{ path: 'smuggled/in.txt', entry: base }];
    case 'dropped-path':
      return [{ path: 'base.txt', entry: null }];
    case 'missing-write':
      return [{ path: 'victim.txt', entry: null }];
    case 'wrong-blob':
      return [{ path: 'victim.txt', entry: base }];
    case 'wrong-mode':
      return [{ path: 'victim.txt', entry: { mode: '100755', oid: tree.entry('victim.txt')?.oid ?? '' } }];
    default:
      return [];
  }
}

/** The cycle as it was built, readable like any repository: its pack lies beside the objects of the real one. */
function openBuilt(prepared: PreparedCycle, place: string): TrunkRepository {
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/notes', 'firetrident'])
    mkdirSync(join(place, folder), { recursive: true });
  writeFileSync(join(place, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(place, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
  writeFileSync(join(place, 'objects/info/alternates'), `${directory}/objects\n`);
  writeFileSync(join(place, `objects/pack/pack-${prepared.packName}.pack`), prepared.pack);
  writeFileSync(join(place, `objects/pack/pack-${prepared.packName}.idx`), prepared.index);
  writeFileSync(join(place, 'refs/heads/main'), `${prepared.tip}\n`);
  writeFileSync(join(place, notesRef), `${prepared.notesTip}\n`);
  return TrunkRepository.open(new NodeDisk(), nodeCodec, { directory: place });
}

function person(line: string): { readonly name: string; readonly email: string; readonly timeSeconds: number } {
  const [, name = '', email = '', seconds = '0'] = /^(.*) <(.*)> (\d+) /.exec(line) ?? [];
  return { name, email, timeSeconds: Number(seconds) };
}

/** Builds the same commits again on the real repository, with the wrong done from the victim's commit on. */
function rebuilt(prepared: PreparedCycle, built: TrunkRepository, victim: number): PreparedCycle {
  const real = TrunkRepository.open(new NodeDisk(), nodeCodec, { directory });
  const blobs = new Map<string, Uint8Array>();
  let tree = real.commitTree(prepared.oldTip);
  let parent = prepared.oldTip;
  const kept = kind === 'commit-missing' ? prepared.commits.slice(0, -1) : prepared.commits;
  const commits = kept.map((oid, index) => {
    const changes = built.changedPaths(parent, oid).map(({ path, after }) => ({ path, entry: after }));
    for (const { entry } of changes) {
      const bytes = entry === null ? null : built.readBlob(entry.oid);
      if (entry !== null && bytes !== null) blobs.set(entry.oid, bytes);
    }
    tree = tree.with(changes);
    if (index === victim) tree = tree.with(wrongChanges(tree));
    parent = oid;
    const { message, author, committer } = built.readCommit(oid);
    const note = built.note(oid) ?? '';
    return { tree, message, author: person(author), committer: person(committer), note: () => note };
  });
  return real.prepare({
    parent: prepared.oldTip,
    notesParent: prepared.oldNotes,
    commits,
    blobs,
    timeSeconds: built.readCommit(prepared.tip).timeSeconds,
  });
}

function alter(prepared: PreparedCycle): PreparedCycle {
  const place = mkdtempSync(join(tmpdir(), 'firetrident-wrong-'));
  try {
    const built = openBuilt(prepared, place);
    const victim = prepared.commits.findIndex((oid) => built.readCommit(oid).message.startsWith('victim'));
    return victim < 0 ? prepared : rebuilt(prepared, built, victim);
  } finally {
    rmSync(place, { recursive: true });
  }
}

export const roomFaults: Partial<RoomFaults> = { alter };

// The doctor on one colony: its repository by stock git, and what waits for a person.

import { countOf, oneLine } from '@firetrident/base';
import type { Client } from '@firetrident/client';
import { checkNotes, countObjects, fsck, headBranch } from '../repository-checks.ts';
import { type DoctorFinding, fine, problem, warning } from './finding.ts';

/** Packs beyond which reading gets slow; maintenance keeps below it. */
const packsMax = 500;
/** Notes in one folder beyond which git gets slow. */
const notesPerFolderMax = 32_000;

/** Looks at a colony's repository. `full` checks every object, not only the connections. */
export async function checkRepository(id: string, repository: string, full: boolean): Promise<DoctorFinding[]> {
  const about = (what: string) => `${id}: ${what}`;
  const { ok, said } = await fsck(repository, full);
  const mode = full ? 'git fsck --strict' : 'git fsck --connectivity-only';
  const hint = 'stop the daemon, copy the data directory, and look at what git names';
  const findings = [
    ok ? fine(about('objects'), mode) : problem(about('objects'), `${mode}: ${oneLine(said, 500)}`, hint),
  ];
  const notes = await checkNotes(repository, await headBranch(repository));
  findings.push(
    notes.missing.length === 0
      ? fine(about('notes'), `all of ${countOf(notes.landings, 'landing commit')} have a note`)
      : problem(
          about('notes'),
          `${notes.missing.length} of ${countOf(notes.landings, 'landing commit')} have none, such as ${notes.missing[0]}`,
          'has someone moved refs/notes/firetrident?',
        ),
  );
  const { fullestFolder } = notes;
  findings.push(
    fullestFolder <= notesPerFolderMax
      ? fine(about('notes fan-out'), `at most ${fullestFolder} in a folder`)
      : warning(about('notes fan-out'), `${fullestFolder} in one folder`, 'git gets slow with them'),
  );
  const { packs, loose } = await countObjects(repository);
  findings.push(
    packs < packsMax
      ? fine(about('packs'), `${countOf(packs, 'pack')}, ${countOf(loose, 'loose object')}`)
      : warning(about('packs'), `${packs}`, 'maintenance is behind; it catches up while the daemon serves'),
  );
  return findings;
}

/** What the daemon says about a colony. */
export async function checkAttention(client: Client, id: string): Promise<DoctorFinding[]> {
  const { trunk, intents } = await client.call('readColony', { parts: { colony: id } });
  const { attention } = await client.call('listAttention', { parts: { colony: id } });
  const findings: DoctorFinding[] = [];
  if (trunk.rewoundTo !== null) {
    findings.push(
      problem(
        `${id}: trunk`,
        `someone else rewrote it to ${trunk.rewoundTo}; landing stands still`,
        'look at it, then resume landing',
      ),
    );
  } else if (trunk.paused) {
    findings.push(warning(`${id}: trunk`, 'landing is paused', 'resume it when you are ready'));
  }
  const blocked = intents.blocked ?? 0;
  if (blocked > 0) {
    findings.push(
      warning(
        `${id}: intents`,
        `${countOf(blocked, 'intent')} blocked`,
        `put right what failed, then: firetrident intents reopen --blocked --colony ${id}`,
      ),
    );
  }
  const first = attention[0];
  findings.push(
    first === undefined
      ? fine(`${id}: attention`, 'nothing waits for a person')
      : warning(
          `${id}: attention`,
          `${countOf(attention.length, 'thing')} waiting, first: ${oneLine(first.message, 200)}`,
          'it goes away when what it names is put right',
        ),
  );
  return findings;
}

// The steps in the trunk thread, told by what it does to the disk.

import { existsSync } from 'node:fs';
import type { RoomFaults } from '@firetrident/adapters';
import type { Disk } from '@firetrident/trunk';
import { dieAt, intendedFile, isArmedFor } from './step-names.ts';

const preservedFolder = '/refs/firetrident/preserved/';

const never = new Int32Array(new SharedArrayBuffer(4));

/** Stops this thread for good; the process goes on. */
function stopHere(): void {
  Atomics.wait(never, 0, 0);
}

/** Stops this thread until the intention of the cycle is durable. */
function untilIntended(): void {
  while (!existsSync(intendedFile)) Atomics.wait(never, 0, 0, 5);
}

function beforeWrite(path: string): void {
  if (isArmedFor('intention-durable-pack-not') && path.includes('/objects/pack/')) stopHere();
}

function beforeLink(to: string): void {
  if (to.includes(preservedFolder)) dieAt('preserving-before-its-ref');
  if (to.endsWith('/refs/notes/firetrident.lock')) dieAt('written-nothing-locked');
  if (to.endsWith('/refs/heads/main.lock')) dieAt('notes-locked-trunk-not');
}

function beforeRename(to: string): void {
  if (to.endsWith('.idx') && isArmedFor('pack-renamed-index-not')) {
    untilIntended();
    dieAt('pack-renamed-index-not');
  }
  if (to.endsWith('/refs/heads/main')) dieAt('notes-moved-trunk-not');
  if (to.includes(preservedFolder)) dieAt('preserving-under-its-lock');
}

function afterRename(to: string): void {
  if (to.includes(preservedFolder)) dieAt('preserving-after-its-ref');
}

/** Loaded by the trunk thread. */
export const roomFaults: Partial<RoomFaults> = {
  disk: (real: Disk): Disk =>
    new Proxy(real, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...args: string[]) => unknown;
        // Work that the disk would do ahead, out of sight, is done in its turn instead.
        if (name === 'begin') return undefined;
        return (...args: string[]) => {
          const [first = '', second = ''] = args;
          if (name === 'write') beforeWrite(first);
          if (name === 'link') beforeLink(second);
          if (name === 'rename') beforeRename(second);
          const value = method.apply(target, args);
          if (name === 'rename') afterRename(second);
          return value;
        };
      },
    }),
};

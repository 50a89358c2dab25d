// Ids of objects as the verifier handles them: 20 bytes at an offset, never text.

/** Whether two ids are equal, each at its offset. */
export function sameId(left: Uint8Array, leftAt: number, right: Uint8Array, rightAt: number): boolean {
  for (let index = 0; index < 20; index += 1) if (left[leftAt + index] !== right[rightAt + index]) return false;
  return true;
}

/** The first six bytes of an id as a number. */
function keyAt(bytes: Uint8Array, at: number): number {
  let key = 0;
  for (let index = 0; index < 6; index += 1) key = key * 256 + (bytes[at + index] as number);
  return key;
}

interface Slot<T> {
  readonly id: Uint8Array;
  readonly value: T;
  readonly next: Slot<T> | undefined;
}

/** Values by id. An id is set once; its bytes must stay as they are. */
export class IdMap<T> {
  readonly #byKey = new Map<number, Slot<T>>();

  /** The value of the id that lies in `bytes` at `at`. */
  get(bytes: Uint8Array, at: number): T | undefined {
    let slot = this.#byKey.get(keyAt(bytes, at));
    while (slot && !sameId(slot.id, 0, bytes, at)) slot = slot.next;
    return slot?.value;
  }

  set(id: Uint8Array, value: T): void {
    const key = keyAt(id, 0);
    this.#byKey.set(key, { id, value, next: this.#byKey.get(key) });
  }
}

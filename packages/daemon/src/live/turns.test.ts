import { describe, expect, it } from 'vitest';
import { Turns, turnMs, waitingAtMost } from './turns.ts';

/** Until the event loop has turned once. */
const oneTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Turns on a clock that only work moves, and the numbers of the work that has begun. */
class Scene {
  now = 0;
  readonly begun: number[] = [];
  readonly turns = new Turns(() => this.now);

  come(number: number, takesMs = 2): void {
    this.turns.begin(() => {
      this.begun.push(number);
      this.now += takesMs;
    });
  }

  comeAll(from: number, to: number): void {
    for (let number = from; number < to; number += 1) this.come(number);
  }

  /** A scene whose loop has done nothing else before. */
  static async idle(): Promise<Scene> {
    const scene = new Scene();
    scene.come(-1, 0);
    scene.begun.pop();
    await oneTurn();
    return scene;
  }
}

describe('turns', () => {
  it('[CT1] [CT2] begin what comes in order, as much as a turn holds; the rest follows turn by turn', async () => {
    const scene = await Scene.idle();
    // Three of two milliseconds fit into a turn of five.
    scene.comeAll(0, 7);
    expect(scene.begun).toEqual([0, 1, 2]);
    await oneTurn();
    expect(scene.begun).toEqual([0, 1, 2, 3, 4, 5]);
    // It comes while others wait, and stands behind them.
    scene.come(7);
    expect(scene.begun).toHaveLength(6);
    await oneTurn();
    expect(scene.begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    await oneTurn();
    scene.come(8);
    expect(scene.begun.at(-1)).toBe(8);
  });

  it('[CT2] are as long as the loop did other things since the last one, within bounds', async () => {
    const scene = await Scene.idle();
    scene.now += 12;
    scene.comeAll(0, 40);
    expect(scene.begun).toHaveLength(6);
    scene.now += 1_000;
    await oneTurn();
    expect(scene.begun).toHaveLength(6 + turnMs.longest / 2);
    await oneTurn();
    expect(scene.begun).toHaveLength(6 + turnMs.longest / 2 + 3);
  });

  it('[CT3] hold a bounded number, and begin the oldest with each one more', async () => {
    const scene = await Scene.idle();
    const takesMs = turnMs.shortest;
    for (let number = 0; number < 3 * waitingAtMost; number += 1) scene.come(number, takesMs);
    expect(scene.begun).toEqual(Array.from({ length: 2 * waitingAtMost }, (_, index) => index));
  });
});

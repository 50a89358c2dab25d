// One line of progress on standard error: redrawn on a terminal, absent elsewhere.

import type { CommandSettings } from './program.ts';

/** A line that is redrawn until its end. */
export interface WrittenProgress {
  show(text: string): void;
  /** Takes the line away. */
  end(): void;
}

/** Pause between two drawings. */
const pauseMs = 100;

/** The line of a command. */
export function writtenProgress(settings: CommandSettings): WrittenProgress {
  const { errors, configuration } = settings;
  if (!configuration.interactiveErrors) return { show: () => undefined, end: () => undefined };
  let shownAtMs = Number.NEGATIVE_INFINITY;
  return {
    show(text) {
      const nowMs = performance.now();
      if (nowMs - shownAtMs < pauseMs) return;
      shownAtMs = nowMs;
      errors.write(`\r\u001b[K${text}`);
    },
    end() {
      errors.write('\r\u001b[K');
    },
  };
}

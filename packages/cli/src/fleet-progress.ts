// A fleet at work as a person sees it: a line that is redrawn on a terminal, one line for each end of an intent elsewhere.

import type { AgentEvent } from '@firetrident/agents';
import { oneLine } from '@firetrident/base';
import type { FleetTally } from './fleet-tally.ts';
import { type Colours, durationText } from './render.ts';

/** Where and how progress is shown. */
export interface ProgressSettings {
  readonly stream: NodeJS.WritableStream;
  readonly interactive: boolean;
  readonly colours: Colours;
  readonly tally: FleetTally;
  /** Intents that were open at the start. */
  readonly total: number;
  /** Milliseconds since some fixed moment. */
  readonly elapsedMs: () => number;
}

/** Pause between two drawings of the line. */
const redrawMs = 200;
/** Least time between two lines that say what an idle fleet waits for. */
const waitingEveryMs = 15_000;

/** Shows a fleet's progress until `close`. */
export class FleetProgress {
  readonly #settings: ProgressSettings;
  readonly #startedMs: number;
  readonly #timer: NodeJS.Timeout | null;
  #waitingToldMs = Number.NEGATIVE_INFINITY;

  constructor(settings: ProgressSettings) {
    this.#settings = settings;
    this.#startedMs = settings.elapsedMs();
    this.#timer = settings.interactive ? setInterval(() => this.#draw(), redrawMs) : null;
  }

  /** Tells about an event that was counted already. */
  show(event: AgentEvent): void {
    const { stream, interactive, colours } = this.#settings;
    const text = event.kind === 'waiting' ? this.#waitingText(event.reason) : eventText(event, colours);
    if (text === null) return;
    stream.write(interactive ? `\r\x1b[2K${text}\n` : `${text}\n`);
    if (interactive) this.#draw();
  }

  close(): void {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#settings.stream.write('\r\x1b[2K');
  }

  /** What the fleet waits for, when nobody of it is at work; null when that was told a moment ago. */
  #waitingText(reason: string): string | null {
    const { tally, colours, elapsedMs } = this.#settings;
    if (tally.working > 0 || elapsedMs() - this.#waitingToldMs < waitingEveryMs) return null;
    this.#waitingToldMs = elapsedMs();
    return `${colours.gray('waiting')}   ${reason}; what is left is held by others, see "firetrident intents list --state taken"`;
  }

  #draw(): void {
    const { stream, tally, total, colours, elapsedMs } = this.#settings;
    const { landed, merged, returns } = tally.figures();
    const seconds = durationText(elapsedMs() - this.#startedMs);
    const line = `${tally.ended} of ${total} done, ${landed} landed, ${merged} merged, ${returns} returned, ${tally.working} at work, ${seconds}`;
    stream.write(`\r\x1b[2K${colours.bold(line)}`);
  }
}

/** One line about the end of an intent or a return; null for what only counts. */
export function eventText(event: AgentEvent, { green, yellow, red, gray }: Colours): string | null {
  switch (event.kind) {
    case 'landed': {
      const merged = event.merged > 0 ? ', merged' : '';
      const repaired = event.repairs > 0 ? `, repaired ${event.repairs === 1 ? 'once' : `${event.repairs} times`}` : '';
      return `${green('landed')}    ${event.agent}  ${oneLine(event.title, 70)}  ${gray(`${durationText(event.landMs)}${merged}${repaired}`)}`;
    }
    case 'unchanged':
      return `${gray('unchanged')} ${event.agent}  ${oneLine(event.title, 70)}`;
    case 'returned':
      return `${yellow('returned')}  ${event.agent}  ${oneLine(event.title, 70)}  ${gray(`because of ${oneLine(event.causes.join(', '), 100)}`)}`;
    case 'heads-up': {
      const then = event.merged ? 'merged in' : 'it finishes first';
      const moved = `${oneLine(event.paths.join(', '), 80)} changed by ${oneLine(event.causes.join(', '), 80)}, ${then}`;
      return `${yellow('heads-up')}  ${event.agent}  ${oneLine(event.title, 70)}  ${gray(moved)}`;
    }
    case 'regenerated': {
      const done = event.problem === null ? 'made anew' : `not made anew, the work is done again: ${event.problem}`;
      return `${yellow('returned')}  ${event.agent}  ${oneLine(event.title, 70)}  ${gray(`${oneLine(event.paths.join(', '), 80)} ${oneLine(done, 200)}`)}`;
    }
    case 'rejected':
      return `${red('rejected')}  ${event.agent}  ${oneLine(event.title, 70)}  ${oneLine(event.reasons.join('; '), 200)}`;
    case 'failed':
      return `${red('failed')}    ${event.agent}  ${oneLine(event.title, 70)}  ${oneLine(event.why, 300)}`;
    case 'lost':
      return `${red('lost')}      ${event.agent}  ${oneLine(event.title, 70)}  ${oneLine(event.why, 200)}`;
    case 'stopped':
      return `${gray('stopped')}   ${event.agent}  ${oneLine(event.title, 70)}  ${event.why}`;
    case 'captured':
      return `${yellow('captured')}  ${event.capture}  ${gray(`what was left of ${event.reason}`)}`;
    case 'set-aside':
      return `${red('set aside')} ${oneLine(event.directory, 200)}  ${oneLine(event.why, 300)}`;
    default:
      return null;
  }
}

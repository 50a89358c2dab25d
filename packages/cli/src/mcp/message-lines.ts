// Messages on a pipe: one line of JSON each, bounded in length.
//
//   ML1. No more than one line's bound is ever held, whatever comes.

/** What one line was: a message, or the reason why it is none. */
export type MessageLine =
  | { readonly kind: 'message'; readonly message: Readonly<Record<string, unknown>> }
  | { readonly kind: 'fault'; readonly problem: string };

const newline = 0x0a;

/** Reads the lines of a stream; lines longer than `bound` bytes are a fault, and passed over (ML1). */
export async function* messageLines(
  stream: AsyncIterable<Buffer>,
  bound: number,
  signal: AbortSignal,
): AsyncGenerator<MessageLine> {
  let held: Buffer[] = [];
  let length = 0;
  let isTooLong = false;
  for await (const chunk of stream) {
    if (signal.aborted) return;
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = chunk.subarray(start, end);
      start = end + 1;
      if (isTooLong || length + line.length > bound)
        yield { kind: 'fault', problem: `a line is longer than ${bound} bytes` };
      else yield* readLine(Buffer.concat([...held, line]).toString('utf8'));
      [held, length, isTooLong] = [[], 0, false];
    }
    const rest = chunk.subarray(start);
    length += rest.length;
    isTooLong ||= length > bound;
    held = isTooLong ? [] : [...held, rest];
  }
  if (length > 0 && !isTooLong) yield* readLine(Buffer.concat(held).toString('utf8'));
}

function* readLine(text: string): Generator<MessageLine> {
  if (text.trim() === '') return;
  try {
    const message: unknown = JSON.parse(text);
    if (typeof message === 'object' && message !== null) yield { kind: 'message', message: message as never };
    else yield { kind: 'fault', problem: 'a line is not a JSON object' };
  } catch (error) {
    yield { kind: 'fault', problem: `a line is not JSON: ${(error as Error).message}` };
  }
}

// Writes of a tool call: files that are sent whole, and files that are changed in some places.
//
//   ED1. An edit changes the one place that its old text names; a text that is missing, or there twice, is refused.
//   ED2. Edits are made on the file as it is at the commit that the write stands on, never on anything newer.

import { no, type Oid, ok, type Result } from '@firetrident/base';
import type { Colony } from '@firetrident/engine';
import type { ErrorFacts, ToolWrite, WriteRequest } from '@firetrident/protocol';
import { errorFacts, refusalFacts } from '../errors.ts';
import { refusedPath } from '../handlers/asked-path.ts';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** The writes as the endpoints take them; `at` is the commit that they stand on (ED2). */
export async function wholeWrites(
  colony: Colony,
  writes: readonly ToolWrite[],
  at: Oid,
): Promise<Result<WriteRequest[], ErrorFacts>> {
  const whole: WriteRequest[] = [];
  for (const [index, write] of writes.entries()) {
    const made = await wholeWrite(colony, write, at, `writes[${index}]`);
    if (!made.ok) return made;
    whole.push(made.value);
  }
  return ok(whole);
}

async function wholeWrite(
  colony: Colony,
  write: ToolWrite,
  at: Oid,
  field: string,
): Promise<Result<WriteRequest, ErrorFacts>> {
  const { edits, ...rest } = write;
  if (edits === undefined) return ok(rest);
  const refused = refusedPath(write.path);
  if (refused !== null) return no(refused);
  const file = await colony.readFile({ path: write.path, at, lease: null });
  if (!file.ok) return no(refusalFacts(file.error));
  const text = asText(file.value.bytes);
  if (text === null) return no(wrongField(`${field}.edits`, 'the file is not text; send its bytes'));
  const edited = editedText(text, edits, field);
  return edited.ok ? ok({ ...rest, content: edited.value }) : edited;
}

/** The text with every edit made, one after the other (ED1). */
export function editedText(
  text: string,
  edits: readonly { readonly old: string; readonly replacement: string }[],
  field: string,
): Result<string, ErrorFacts> {
  let edited = text;
  for (const [index, { old, replacement }] of edits.entries()) {
    const place = edited.indexOf(old);
    const name = `${field}.edits[${index}].old`;
    if (place < 0) return no(wrongField(name, 'does not occur in the file at the base'));
    if (edited.indexOf(old, place + 1) >= 0) return no(wrongField(name, 'occurs more than once; name more around it'));
    edited = edited.slice(0, place) + replacement + edited.slice(place + old.length);
  }
  return ok(edited);
}

/** The text of bytes, or null when they are not text. */
export function asText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return strictUtf8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function wrongField(field: string, problem: string): ErrorFacts {
  return errorFacts('invalid_request', field, null, { message: `${field}: ${problem}.` });
}

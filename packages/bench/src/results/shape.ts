// Whether a value that was read from a file has the fields that somebody wants to use.
//
//   SH1. The answer names the first field that is missing or of another kind.

/** What a field must be. An object names fields; a list with one element is a list of such elements. */
export type Shape =
  | 'number'
  | 'string'
  | 'boolean'
  | 'number or null'
  | 'string or null'
  | 'anything'
  | readonly [Shape]
  | { readonly [name: string]: Shape };

/** The field that does not fit, as text such as `peers.0.landed must be a number`; null when all do (SH1). */
export function misfit(value: unknown, shape: Shape, at = ''): string | null {
  const name = at === '' ? 'it' : at;
  if (typeof shape === 'string') return fits(value, shape) ? null : `${name} must be ${words[shape]}`;
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return `${name} must be a list`;
    return first(value.map((each, index) => misfit(each, shape[0] as Shape, joined(at, String(index)))));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${name} must be an object`;
  const fields = Object.entries(shape as Readonly<Record<string, Shape>>);
  return first(
    fields.map(([field, each]) => misfit((value as Record<string, unknown>)[field], each, joined(at, field))),
  );
}

const words: Readonly<Record<Extract<Shape, string>, string>> = {
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  'number or null': 'a number or null',
  'string or null': 'a text or null',
  anything: 'there',
};

function fits(value: unknown, kind: Extract<Shape, string>): boolean {
  switch (kind) {
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === kind && !Number.isNaN(value);
    case 'number or null':
      return value === null || fits(value, 'number');
    case 'string or null':
      return value === null || fits(value, 'string');
    case 'anything':
      return value !== undefined;
  }
}

function first(found: readonly (string | null)[]): string | null {
  return found.find((each) => each !== null) ?? null;
}

function joined(at: string, field: string): string {
  return at === '' ? field : `${at}.${field}`;
}

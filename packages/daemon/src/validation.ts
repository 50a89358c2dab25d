// From a schema's issues to the one error that a caller reads.
//
//   VA1. The field at fault is named by its path, for unknown fields too.

import { no, ok, type Result } from '@firetrident/base';
import type { ErrorFacts } from '@firetrident/protocol';
import { errorFacts } from './errors.ts';

/** The parts of a schema library's issue that are used here. */
interface Issue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly errors?: readonly (readonly Issue[])[];
}

/** A schema of the protocol. */
interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: { issues: unknown } };
}

const problemsShown = 10;

/** Checks a value: its parsed form with defaults, or the error that names the first field at fault (VA1). */
export function validate<T>(schema: Schema<T>, value: unknown): Result<T, ErrorFacts> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const problems = (parsed.error.issues as readonly Issue[]).flatMap((issue) => problemsOf(issue, []));
  const first = problems[0] ?? { field: '', problem: 'invalid' };
  const message = first.field === '' ? `The request is wrong: ${first.problem}.` : `${first.field}: ${first.problem}.`;
  const details = { problems: problems.slice(0, problemsShown) };
  return no(errorFacts('invalid_request', first.field, details, { message }));
}

interface Problem {
  readonly field: string;
  readonly problem: string;
}

function problemsOf(issue: Issue, above: readonly PropertyKey[]): Problem[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return (issue.keys ?? []).map((key) => ({ field: fieldName([...path, key]), problem: 'no such field' }));
  }
  if (issue.code === 'invalid_union' && issue.errors !== undefined) {
    const deepest = furthest(issue.errors);
    if (deepest !== null) return deepest.flatMap((inner) => problemsOf(inner, path));
  }
  return [{ field: fieldName(path), problem: issue.message.replace(/\.$/, '') }];
}

/** The option of a union that the value came closest to: the one whose first issue lies deepest. */
function furthest(options: readonly (readonly Issue[])[]): readonly Issue[] | null {
  let best: readonly Issue[] | null = null;
  let depth = 0;
  for (const option of options) {
    const first = option[0];
    if (first === undefined) continue;
    const reached = first.path.length + (first.code === 'unrecognized_keys' ? 1 : 0);
    if (reached > depth) [best, depth] = [option, reached];
  }
  return best;
}

/** Name of a field as people write it: `writes[0].path`. */
export function fieldName(path: readonly PropertyKey[]): string {
  let name = '';
  for (const part of path) {
    if (typeof part === 'number') name += `[${part}]`;
    else name += name === '' ? String(part) : `.${String(part)}`;
  }
  return name;
}

/** The fields of a query as an object. A field that comes twice is refused. */
export function readQuery(text: string): Result<Record<string, string>, ErrorFacts> {
  const fields: Record<string, string> = {};
  for (const [key, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(fields, key)) {
      return no(errorFacts('invalid_request', key, null, { message: `${key}: comes twice.` }));
    }
    fields[key] = value;
  }
  return ok(fields);
}

// The JSON of issue trackers, read for the kinds of backlog that are made of it.
//
// It never knows which tracker wrote it.

import { type Json, no, ok, type Result } from '@firetrident/base';
import type { BacklogLine, BacklogRefusal } from './backlog.ts';

/** An object of JSON. */
export type JsonObject = { readonly [key: string]: Json };

/** Tells whether a value is an object, not a list and not null. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Tells whether a value is a list. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Line of an offset, from 1. */
function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** The value that the text is. What is wrong with it is said with its line where the platform tells the place. */
export function parseJson(text: string): Result<Json, BacklogRefusal> {
  try {
    return ok(JSON.parse(text) as Json);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const position = /position (\d+)/.exec(error.message)?.[1];
    const line = position === undefined ? null : lineAt(text, Number(position));
    return no({ line, reason: 'the text is no JSON' });
  }
}

/** The issues of a list, of a page with `items` (a search), or of a list of pages; null for anything else. */
export function issuesOf(value: Json): readonly Json[] | null {
  if (isObject(value)) return isList(value.items) ? value.items : null;
  if (!isList(value)) return null;
  return value.flatMap((each) => (isList(each) ? each : [each]));
}

/** Names of labels, which may be texts or objects with a `name`; null when they are neither. */
export function labelNames(value: Json | undefined): readonly string[] | null {
  if (value === undefined || value === null) return [];
  if (!isList(value)) return null;
  const names = value.map((label) => (isObject(label) ? label.name : label));
  return names.every((name) => typeof name === 'string') ? names : null;
}

/** A text that may be left out or null, as the lines of a body; null when it is something else. */
export function bodyLines(value: Json | undefined): readonly BacklogLine[] | null {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'string') return null;
  return value.split(/\r\n|\r|\n/).map((text, index) => ({ text, line: index + 1 }));
}

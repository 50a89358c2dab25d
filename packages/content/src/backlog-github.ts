// A backlog of GitHub issues as JSON: what `gh issue list --json number,title,body,labels,state,url` prints, and what
// the REST interface answers.
//
// It never knows the network. Pull requests and closed issues are skipped.

import { type Json, no, ok, type Result } from '@firetrident/base';
import { type BacklogRefusal, backlogLengthLimit, type Draft, finishDrafts, type UnresolvedDraft } from './backlog.ts';

type JsonObject = { readonly [key: string]: Json };

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function refuse(position: number, reason: string): { readonly ok: false; readonly error: BacklogRefusal } {
  return no({ line: null, reason: `issue ${position + 1} of the list: ${reason}` });
}

/** Line of an offset, from 1. */
function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** The value that the text is. What is wrong with it is said with its line where the platform tells the place. */
function parseJson(text: string): Result<Json, BacklogRefusal> {
  try {
    return ok(JSON.parse(text) as Json);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const position = /position (\d+)/.exec(error.message)?.[1];
    const line = position === undefined ? null : lineAt(text, Number(position));
    return no({ line, reason: 'the text is no JSON' });
  }
}

/** The issues of a list, of a page with `items` (a search), or of a list of pages. */
function issuesOf(value: Json): readonly Json[] | null {
  if (isObject(value)) return isList(value.items) ? value.items : null;
  if (!isList(value)) return null;
  return value.flatMap((each) => (isList(each) ? each : [each]));
}

function labelsOf(value: Json | undefined): readonly string[] | null {
  if (value === undefined || value === null) return [];
  if (!isList(value)) return null;
  const names = value.map((label) => (isObject(label) ? label.name : label));
  return names.every((name) => typeof name === 'string') ? names : null;
}

function isSkipped(issue: JsonObject, url: string | null): boolean {
  const isClosed = typeof issue.state === 'string' && issue.state.toLowerCase() === 'closed';
  const isPullRequest = (issue.pull_request ?? null) !== null || issue.isPullRequest === true;
  return isClosed || isPullRequest || url?.includes('/pull/') === true;
}

/** The address for people; the REST interface has it as `html_url`, beside one for programs. */
function addressOf(issue: JsonObject): string | null {
  const address = issue.html_url ?? issue.url;
  return typeof address === 'string' && address !== '' ? address : null;
}

function draftOf(value: Json, position: number): Result<UnresolvedDraft | null, BacklogRefusal> {
  if (!isObject(value)) return refuse(position, 'not an object');
  const url = addressOf(value);
  if (isSkipped(value, url)) return ok(null);
  const { number, title, body } = value;
  if (typeof title !== 'string' || title.trim() === '') return refuse(position, 'no title');
  const hasNumber = typeof number === 'number' && Number.isSafeInteger(number);
  if (!hasNumber && url === null) return refuse(position, 'neither a number nor an address');
  if (typeof body !== 'string' && body !== null && body !== undefined) return refuse(position, 'the body is no text');
  const labels = labelsOf(value.labels);
  if (labels === null) return refuse(position, 'the labels are no list of names');
  return ok({
    title: title.trim(),
    body: (body ?? '').split(/\r\n|\r|\n/).map((text, index) => ({ text, line: index + 1 })),
    line: null,
    labels,
    key: `github:${url ?? number}`,
    parent: null,
    aliases: hasNumber ? [`#${number}`, `${number}`, `github:${number}`] : [],
  });
}

/**
 * Drafts of the open issues in a JSON text, in order. Keys are `github:` and the address, or the number where there is
 * no address. Lines such as `after: #12` name other issues of the list by number. Refused: text that is no JSON or no
 * list of issues, an issue without title or identity, a field that cannot be read; the reason names the issue.
 */
export function parseGithubIssues(text: string): Result<readonly Draft[], BacklogRefusal> {
  if (text.length > backlogLengthLimit) {
    return no({ line: null, reason: `the backlog has ${text.length} characters; the most is ${backlogLengthLimit}` });
  }
  const json = parseJson(text);
  if (!json.ok) return json;
  const issues = issuesOf(json.value);
  if (issues === null) return no({ line: null, reason: 'the JSON is no list of issues' });
  // Pages can overlap: the same issue twice is one.
  const drafts = new Map<string, UnresolvedDraft>();
  for (const [position, issue] of issues.entries()) {
    const draft = draftOf(issue, position);
    if (!draft.ok) return draft;
    if (draft.value !== null && !drafts.has(draft.value.key)) drafts.set(draft.value.key, draft.value);
  }
  return finishDrafts([...drafts.values()], new Set());
}

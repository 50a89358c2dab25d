// A backlog of issues as JSON, as GitHub and GitLab write them: what `gh issue list --json
// number,title,body,labels,state,url` and `glab issue list --output json` print, and what their REST interfaces answer.
//
// It never knows the network. Pull requests are skipped; closed issues are done.

import { type Json, no, ok, type Result } from '@firetrident/base';
import { type Backlog, type BacklogItem, type BacklogRefusal, backlogLengthLimit, finishBacklog } from './backlog.ts';
import { bodyLines, isObject, issuesOf, type JsonObject, labelNames, parseJson } from './backlog-json.ts';

/** The trackers whose issues can be read. */
export type IssueTracker = 'github' | 'gitlab';

/** What the trackers call the parts of an issue. */
interface Fields {
  readonly number: string;
  readonly body: string;
  /** Addresses, the one for people first: a REST interface has another one for programs. */
  readonly addresses: readonly string[];
}

const fieldsOf: Readonly<Record<IssueTracker, Fields>> = {
  github: { number: 'number', body: 'body', addresses: ['html_url', 'url'] },
  gitlab: { number: 'iid', body: 'description', addresses: ['web_url'] },
};

function refuse(position: number, reason: string): { readonly ok: false; readonly error: BacklogRefusal } {
  return no({ line: null, reason: `issue ${position + 1} of the list: ${reason}` });
}

function isPullRequest(issue: JsonObject, url: string | null): boolean {
  return (issue.pull_request ?? null) !== null || issue.isPullRequest === true || url?.includes('/pull/') === true;
}

function addressOf(issue: JsonObject, names: readonly string[]): string | null {
  const address = names.map((name) => issue[name]).find((value) => value !== undefined);
  return typeof address === 'string' && address !== '' ? address : null;
}

function itemOf(tracker: IssueTracker, value: Json, position: number): Result<BacklogItem | null, BacklogRefusal> {
  const fields = fieldsOf[tracker];
  if (!isObject(value)) return refuse(position, 'not an object');
  const url = addressOf(value, fields.addresses);
  if (isPullRequest(value, url)) return ok(null);
  const { title, state } = value;
  const number = value[fields.number];
  if (typeof title !== 'string' || title.trim() === '') return refuse(position, 'no title');
  const hasNumber = typeof number === 'number' && Number.isSafeInteger(number);
  if (!hasNumber && url === null) return refuse(position, 'neither a number nor an address');
  const body = bodyLines(value[fields.body]);
  if (body === null) return refuse(position, 'the body is no text');
  const labels = labelNames(value.labels);
  if (labels === null) return refuse(position, 'the labels are no list of names');
  return ok({
    isDone: typeof state === 'string' && state.toLowerCase() === 'closed',
    title: title.trim(),
    body,
    line: null,
    labels,
    key: `${tracker}:${url ?? number}`,
    parent: null,
    after: [],
    aliases: hasNumber ? [`#${number}`, `${number}`, `${tracker}:${number}`] : [],
  });
}

/**
 * The issues in a JSON text, in order. Keys are the tracker, ":" and the address, or the number where there is no
 * address. Lines such as `after: #12` name other issues of the list by number. Refused: text that is no JSON or no list
 * of issues, an issue without title or identity, a field that cannot be read; the reason names the issue.
 */
export function parseIssues(text: string, tracker: IssueTracker): Result<Backlog, BacklogRefusal> {
  if (text.length > backlogLengthLimit) {
    return no({ line: null, reason: `the backlog has ${text.length} characters; the most is ${backlogLengthLimit}` });
  }
  const json = parseJson(text);
  if (!json.ok) return json;
  const issues = issuesOf(json.value);
  if (issues === null) return no({ line: null, reason: 'the JSON is no list of issues' });
  // Pages can overlap: the same issue twice is one.
  const items = new Map<string, BacklogItem>();
  for (const [position, issue] of issues.entries()) {
    const item = itemOf(tracker, issue, position);
    if (!item.ok) return item;
    if (item.value !== null && !items.has(item.value.key)) items.set(item.value.key, item.value);
  }
  return finishBacklog([...items.values()]);
}

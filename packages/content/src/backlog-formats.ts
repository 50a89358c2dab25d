// The kinds of backlog that can be read, by name.

import type { Result } from '@firetrident/base';
import type { Backlog, BacklogRefusal } from './backlog.ts';
import { parseBeads } from './backlog-beads.ts';
import { parseIssues } from './backlog-issues.ts';
import { parseMarkdownBacklog } from './backlog-markdown.ts';

/** The kinds of backlog. Keys of intents that come from one begin with its name and ":". */
export const backlogFormats = ['markdown', 'github', 'gitlab', 'beads'] as const;

/** Kind of a backlog. */
export type BacklogFormat = (typeof backlogFormats)[number];

/** Reads a backlog of a kind, or says what is wrong with it. */
export function parseBacklog(text: string, format: BacklogFormat): Result<Backlog, BacklogRefusal> {
  switch (format) {
    case 'markdown':
      return parseMarkdownBacklog(text);
    case 'github':
    case 'gitlab':
      return parseIssues(text, format);
    case 'beads':
      return parseBeads(text);
  }
}

/**
 * The kind that a file most likely is, by its name; `.json` is GitLab's when its issues carry GitLab's number, `iid`, and
 * GitHub's otherwise.
 */
export function guessBacklogFormat(fileName: string, text: string): BacklogFormat {
  if (fileName.endsWith('.jsonl')) return 'beads';
  if (fileName.endsWith('.json')) return /"iid"\s*:/.test(text) ? 'gitlab' : 'github';
  return 'markdown';
}

// What a house rule is.

import { type CodeFile, lineAt, type Project } from './project.ts';
import type { SyntaxNode } from './syntax.ts';

/**
 * One breach. `subject` identifies what breaks the rule without a line number, so that an exemption outlives edits;
 * `message` says what to do.
 */
export type Finding = { path: string; line: number; subject: string; message: string };

/** A rule with its number, the sentence that states it, and the reason for it. */
export type Rule = {
  id: `H${number}`;
  title: string;
  why: string;
  check: (project: Project) => Finding[] | Promise<Finding[]>;
};

/** A breach at a node or comment of a code file. The subject is `path`, or `path#detail` when a detail is given. */
export function findingAt(file: CodeFile, at: Pick<SyntaxNode, 'start'>, message: string, detail?: string): Finding {
  const subject = detail === undefined ? file.path : `${file.path}#${detail}`;
  return { path: file.path, line: lineAt(file.text, at.start), subject, message };
}

/** A breach at a line of any file. */
export function findingOn(path: string, line: number, message: string, detail?: string): Finding {
  return { path, line, subject: detail === undefined ? path : `${path}#${detail}`, message };
}

/** One line for people: where, which rule, what to do. */
export function findingText(rule: Rule, finding: Finding): string {
  return `${finding.path}:${finding.line} [${rule.id}] ${finding.message}`;
}

// Comments that must be there, and those that must not; errors that may not vanish.

import type { CodeFile, Project } from '../project.ts';
import { isTestData, lineAt } from '../project.ts';
import { type Finding, findingAt, findingOn, type Rule } from '../rule.ts';
import { childOf, childrenOf, nameOf, type SyntaxNode, walk } from '../syntax.ts';
import { docstringRule } from './docstrings.ts';

function checkHeaders(project: Project): Finding[] {
  const findings: Finding[] = [];
  for (const file of project.code()) {
    // A test beside the file that it tests is introduced by that file's header.
    const subject = /^(.*)\.test\.ts$/.exec(file.path)?.[1];
    if (subject !== undefined && project.files.has(`${subject}.ts`)) continue;
    const first = file.syntax.comments[0];
    const start = /^#![^\n]*\n/.exec(file.text)?.[0].length ?? 0;
    const opens = first !== undefined && file.text.slice(start, first.start).trim() === '';
    if (opens && first.value.replace(/^[*!\s]+/, '').trim().length >= 15) continue;
    findings.push(findingOn(file.path, 1, 'begin with a comment: what the file is and what it never knows'));
  }
  return findings;
}

// Written so that this file does not contain what it looks for.
const leftover = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'].join('|')})\\b`);

function checkLeftovers(project: Project): Finding[] {
  const findings: Finding[] = [];
  for (const file of project.code()) {
    for (const comment of file.syntax.comments) {
      if (leftover.test(comment.value)) findings.push(findingAt(file, comment, 'do it now, or file it as an issue'));
    }
  }
  for (const file of project.files.values()) {
    if (!/\.(md|sh|html|css|ya?ml)$/.test(file.path) || isTestData(file.path)) continue;
    for (const [index, line] of file.text.split('\n').entries()) {
      const prose = line.replace(/`[^`]*`/g, '');
      if (leftover.test(prose)) findings.push(findingOn(file.path, index + 1, 'do it now, or file it as an issue'));
    }
  }
  return findings;
}

/** Whether `node` catches an error and lets it vanish: a clause without a use of it, or `.catch(() => …)`. */
function isSwallowing(file: CodeFile, node: SyntaxNode): boolean {
  if (node.type === 'CatchClause') {
    const name = nameOf(childOf(node, 'param'));
    if (childOf(node, 'param') !== undefined && name === undefined) return false; // taken apart, so used
    if (name === undefined) return true;
    const block = childOf(node, 'body');
    const names = new Set<string | undefined>();
    if (block !== undefined) walk(block, (inner) => names.add(nameOf(inner)));
    return !names.has(name);
  }
  if (node.type !== 'CallExpression' || nameOf(childOf(childOf(node, 'callee'), 'property')) !== 'catch') return false;
  const handler = childrenOf(node, 'arguments')[0];
  return (
    handler?.type === 'ArrowFunctionExpression' && childrenOf(handler, 'params').length === 0 && file.role !== 'test'
  );
}

/** Whether a comment inside `node`, or on one of the two lines above the end of its head, gives the reason. */
function hasReason(file: CodeFile, node: SyntaxNode): boolean {
  const first = lineAt(file.text, node.start);
  const last = lineAt(file.text, node.end);
  return file.syntax.comments.some((comment) => {
    const line = lineAt(file.text, comment.end);
    return (comment.start >= node.start && comment.end <= node.end) || (line >= first - 2 && line <= last);
  });
}

function checkSwallowing(project: Project): Finding[] {
  const findings: Finding[] = [];
  for (const file of project.code()) {
    walk(file.syntax.program, (node) => {
      if (!isSwallowing(file, node) || hasReason(file, node)) return;
      findings.push(findingAt(file, node, 'use the error, or say in a comment why it does not matter here'));
    });
  }
  return findings;
}

function checkParsing(project: Project): Finding[] {
  const broken = project.code().filter((file) => file.syntax.problem !== undefined);
  return broken.map((file) => findingOn(file.path, 1, `the file does not parse: ${file.syntax.problem}`));
}

/** The rules about comments and errors. */
export const commentRules: readonly Rule[] = [
  {
    id: 'H15',
    title: 'A code file begins with a comment that says what it is.',
    why: 'A reader decides in one line whether this is the place.',
    check: checkHeaders,
  },
  docstringRule,
  {
    id: 'H17',
    title: 'Nothing is left for later in the tree.',
    why: 'A marker in a file is a promise that nobody tracks.',
    check: checkLeftovers,
  },
  {
    id: 'H18',
    title: 'A caught error is used, or a comment says why it does not matter.',
    why: 'An error that vanishes comes back as a riddle.',
    check: checkSwallowing,
  },
  {
    id: 'H19',
    title: 'A code file parses.',
    why: 'The other rules see nothing of a file without a tree.',
    check: checkParsing,
  },
];

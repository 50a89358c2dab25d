// Sizes that keep one idea per file and per function.

import type { CodeFile, Project } from '../project.ts';
import { isTestData, lineAt } from '../project.ts';
import { type Finding, findingAt, findingOn, type Rule } from '../rule.ts';
import { calleeRoot, childOf, nameOf, type SyntaxNode, walk } from '../syntax.ts';

/** Longest code file, in lines. */
export const fileLinesMax = 500;
/** Longest function, in lines from its first to its last. */
export const functionLinesMax = 70;
/** Largest file outside the test data, in bytes. */
export const fileBytesMax = 300 * 1024;

function checkFileLines(project: Project): Finding[] {
  return project.code().flatMap((file) => {
    const lines = lineAt(file.text, file.text.length);
    if (lines <= fileLinesMax) return [];
    return [findingOn(file.path, lines, `${lines} lines: split it by idea, ${fileLinesMax} is the limit`)];
  });
}

const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** The group callback of a test file is a list of tests and not one piece of control flow. */
function isGroup(file: CodeFile, parent: SyntaxNode | undefined): boolean {
  return file.role === 'test' && parent?.type === 'CallExpression' && calleeRoot(parent) === 'describe';
}

function functionName(node: SyntaxNode, parent: SyntaxNode | undefined): string {
  return nameOf(childOf(node, 'id')) ?? nameOf(childOf(parent, 'id')) ?? nameOf(childOf(parent, 'key')) ?? 'anonymous';
}

function checkFunctionLines(project: Project): Finding[] {
  const findings: Finding[] = [];
  for (const file of project.code()) {
    walk(file.syntax.program, (node, parents) => {
      const parent = parents.at(-1);
      if (!functionTypes.has(node.type) || isGroup(file, parent)) return;
      const lines = lineAt(file.text, node.end) - lineAt(file.text, node.start) + 1;
      if (lines <= functionLinesMax) return;
      const name = functionName(node, parent);
      const message = `function ${name} has ${lines} lines: move its leaves out, ${functionLinesMax} is the limit`;
      findings.push(findingAt(file, node, message, name));
    });
  }
  return findings;
}

function checkBytes(project: Project): Finding[] {
  const large = [...project.files.values()].filter((file) => file.bytes > fileBytesMax && !isTestData(file.path));
  return large.map((file) => findingOn(file.path, 1, `${file.bytes} bytes: keep blobs out of the repository`));
}

/** The rules about sizes. */
export const sizeRules: readonly Rule[] = [
  {
    id: 'H8',
    title: `A code file has at most ${fileLinesMax} lines.`,
    why: 'A file that is one idea can be read in one sitting.',
    check: checkFileLines,
  },
  {
    id: 'H9',
    title: `A function has at most ${functionLinesMax} lines.`,
    why: 'Control flow stays in the parent, and the leaves stay pure.',
    check: checkFunctionLines,
  },
  {
    id: 'H10',
    title: `No file outside the test data exceeds ${fileBytesMax / 1024} KiB.`,
    why: 'Every clone pays for a blob for ever.',
    check: checkBytes,
  },
];

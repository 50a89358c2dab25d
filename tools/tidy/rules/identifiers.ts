// Names that a package may not mention: clocks, randomness, timers and the machine in the pure ones, the environment
// outside config.ts, and waiting or throwing in the core.

import { layers, synchronousPackage } from '../layers.ts';
import type { CodeFile, Project } from '../project.ts';
import { type Finding, findingAt, type Rule } from '../rule.ts';
import { childOf, childrenOf, isReference, nameOf, propertyOf, type SyntaxNode, walk } from '../syntax.ts';

/** Globals that the pure packages do without, each with what stands in for it. */
const machineGlobals: Readonly<Record<string, string>> = {
  process: 'pass the value in, or ask a port',
  Buffer: 'use Uint8Array and the functions of base',
  setTimeout: 'ask the clock port',
  setInterval: 'ask the clock port',
  setImmediate: 'ask the clock port',
  performance: 'take the time as an argument',
  fetch: 'ask a port',
  globalThis: 'name what you need and pass it in',
};

const randomSources = new Set(['Math.random', 'crypto.randomUUID', 'crypto.getRandomValues']);

/** What stands in for a banned mention at `node` in a pure package; undefined when nothing is banned there. */
function machineMention(file: CodeFile, node: SyntaxNode, parents: SyntaxNode[], key: string): string | undefined {
  const parent = parents.at(-1);
  const name = nameOf(node);
  if (name === undefined || !isReference(node, parent, key) || file.syntax.boundNames.has(name)) return undefined;
  const member = parent?.type === 'MemberExpression' && key === 'object' ? `${name}.${propertyOf(parent)}` : undefined;
  if (member !== undefined && randomSources.has(member)) return `${member}: draw from the seeded generator of base`;
  if (name === 'Math' && member === undefined) return 'Math as a value: call its functions by name';
  if (name === 'Date') return isFixedDate(parent, key) ? undefined : 'Date: take the time as an argument';
  const instead = Object.hasOwn(machineGlobals, name) ? machineGlobals[name] : undefined;
  return instead === undefined ? undefined : `${name}: ${instead}`;
}

/** A use of Date that reads no clock: with a given time, or one of its pure functions. */
function isFixedDate(parent: SyntaxNode | undefined, key: string): boolean {
  if (parent?.type === 'NewExpression') return key === 'callee' && childrenOf(parent, 'arguments').length > 0;
  return parent?.type === 'MemberExpression' && key === 'object' && ['UTC', 'parse'].includes(propertyOf(parent) ?? '');
}

function isCodeFromText(node: SyntaxNode): boolean {
  const called = node.type === 'CallExpression' || node.type === 'NewExpression';
  return called && ['eval', 'Function'].includes(nameOf(childOf(node, 'callee')) ?? '');
}

function checkMachine(project: Project): Finding[] {
  const findings: Finding[] = [];
  for (const file of sources(project)) {
    const layer = layers[file.package ?? ''];
    walk(file.syntax.program, (node, parents, key) => {
      if (layer?.pure === true) {
        const mention = machineMention(file, node, parents, key);
        if (mention !== undefined) findings.push(findingAt(file, node, `${file.package} may not use ${mention}`));
      }
      if (isCodeFromText(node))
        findings.push(findingAt(file, node, 'write the code out instead of building it from text'));
      const said = nameOf(node) === 'console' && isReference(node, parents.at(-1), key);
      if (said && layer?.console !== true) {
        findings.push(findingAt(file, node, `${file.package} may not use console: return the text, or use the logger`));
      }
    });
  }
  return findings;
}

function checkSynchronous(project: Project): Finding[] {
  const findings: Finding[] = [];
  for (const file of sources(project).filter((source) => source.package === synchronousPackage)) {
    walk(file.syntax.program, (node) => {
      const waits =
        node.async === true || node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await);
      if (waits)
        findings.push(findingAt(file, node, 'the core is synchronous: hand the shell an effect instead of waiting'));
      if (node.type === 'ThrowStatement') {
        findings.push(findingAt(file, node, 'the core never throws: return a refusal, or assert what must be true'));
      }
    });
  }
  return findings;
}

/** Whether `node` reads the environment, as `process.env` or as `env` imported from Node. */
function readsEnvironment(node: SyntaxNode): boolean {
  if (node.type === 'MemberExpression') {
    return propertyOf(node) === 'env' && nameOf(childOf(node, 'object')) === 'process';
  }
  if (node.type === 'VariableDeclarator' && nameOf(childOf(node, 'init')) === 'process') {
    const keys = childrenOf(childOf(node, 'id'), 'properties').map((property) => nameOf(childOf(property, 'key')));
    return keys.includes('env');
  }
  const fromProcess = node.type === 'ImportDeclaration' && childOf(node, 'source')?.value === 'node:process';
  return fromProcess && childrenOf(node, 'specifiers').some((entry) => nameOf(childOf(entry, 'imported')) === 'env');
}

function checkEnvironment(project: Project): Finding[] {
  const findings: Finding[] = [];
  for (const file of sources(project).filter((source) => !source.path.endsWith('/config.ts'))) {
    walk(file.syntax.program, (node) => {
      if (!readsEnvironment(node)) return;
      findings.push(
        findingAt(file, node, "read the environment in this package's config.ts and pass the resolved option"),
      );
    });
  }
  return findings;
}

function sources(project: Project): CodeFile[] {
  return project.code().filter((file) => file.package !== undefined && file.role === 'source');
}

/** The rules about mentions. */
export const identifierRules: readonly Rule[] = [
  {
    id: 'H5',
    title:
      'Clock, randomness, timers and machine are reached only through ports; console only in the terminal packages.',
    why: 'A run is repeatable from its seed, and standard output stays free for protocols.',
    check: checkMachine,
  },
  {
    id: 'H6',
    title: 'The core neither waits nor throws.',
    why: 'One command is one step, and an expected refusal is a value that callers must look at.',
    check: checkSynchronous,
  },
  {
    id: 'H7',
    title: 'The environment is read in config.ts only.',
    why: 'Options are resolved once, and the configuration page is complete.',
    check: checkEnvironment,
  },
];

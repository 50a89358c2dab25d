// Names of files, classes and quantities.

import type { CodeFile, Project } from '../project.ts';
import { isTestData } from '../project.ts';
import { type Finding, findingAt, findingOn, type Rule } from '../rule.ts';
import { childOf, literalText, nameOf, type SyntaxNode, walk } from '../syntax.ts';

// Words that say how a file came about or that nobody knew where to put things, instead of what is in it.
const emptyWords = new Set(
  'utils util utilities helpers helper manager new old fixed simple final temp tmp enhanced advanced misc common stuff'.split(
    ' ',
  ),
);

// The nouns among them. The adjectives have honest uses in names of things.
const emptyNouns = new Set('utils util utilities helpers helper manager misc stuff'.split(' '));

function checkFileNames(project: Project): Finding[] {
  const findings: Finding[] = [];
  for (const file of project.files.keys()) {
    if (isTestData(file)) continue;
    const bad = file.split(/[/.\-_]/).find((word) => emptyWords.has(word.toLowerCase()) || /^v\d+$/i.test(word));
    // A number of a format belongs into a name; a number of an attempt does not.
    if (bad === undefined || /\b(record|format)-v\d+\b/.test(file)) continue;
    findings.push(findingOn(file, 1, `name the file after what is in it, without '${bad}'`));
  }
  return findings;
}

/** Exported names of a file with their nodes, for declarations that carry a name. */
function exportedDeclarations(file: CodeFile): { name: string; declaration: SyntaxNode }[] {
  const found: { name: string; declaration: SyntaxNode }[] = [];
  walk(file.syntax.program, (node) => {
    const declaration = node.type === 'ExportNamedDeclaration' ? childOf(node, 'declaration') : undefined;
    const name = nameOf(childOf(declaration, 'id'));
    if (declaration !== undefined && name !== undefined) found.push({ name, declaration });
  });
  return found;
}

function checkClassNames(project: Project): Finding[] {
  const findings: Finding[] = [];
  const seen = new Map<string, string>();
  for (const file of project.code().filter((code) => code.package !== undefined && code.role === 'source')) {
    for (const { name, declaration } of exportedDeclarations(file)) {
      const word = name.split(/(?=[A-Z])/).find((part) => emptyNouns.has(part.toLowerCase()));
      if (word !== undefined)
        findings.push(findingAt(file, declaration, `name ${name} after what it is, without '${word}'`, name));
      if (declaration.type !== 'ClassDeclaration') continue;
      const other = seen.get(name);
      if (other !== undefined) {
        findings.push(
          findingAt(file, declaration, `class ${name} exists in ${other} too: one noun, one implementation`, name),
        );
      }
      seen.set(name, file.path);
    }
  }
  return findings;
}

const durationName = /(timeout|interval|delay|duration|latency|elapsed|age|period|deadline)$/i;
const unitEnding = /(Ms|Seconds|Minutes|Hours|Days|Ns|Us|Per[A-Z]\w*)$/;

function isNumber(node: SyntaxNode): boolean {
  const annotation = childOf(childOf(node, 'typeAnnotation'), 'typeAnnotation');
  return annotation?.type === 'TSNumberKeyword';
}

function checkUnits(project: Project): Finding[] {
  const findings: Finding[] = [];
  for (const file of project.code().filter((code) => code.package !== undefined && code.role === 'source')) {
    walk(file.syntax.program, (node, parents) => {
      const parent = parents.at(-1);
      const key =
        node.type === 'TSPropertySignature' || node.type === 'PropertyDefinition' ? childOf(node, 'key') : node;
      const name = nameOf(key) ?? literalText(key);
      if (
        name === undefined ||
        !durationName.test(name) ||
        unitEnding.test(name) ||
        /(stage|page|usage|message|storage|image|package|language|coverage)$/i.test(name)
      )
        return;
      const literal = childOf(parent, 'init');
      const numeric =
        isNumber(node) ||
        (childOf(parent, 'id') === node && literal?.type === 'Literal' && typeof literal.value === 'number');
      if (numeric) findings.push(findingAt(file, node, `say the unit: ${name}Ms`, name));
    });
  }
  return findings;
}

const abbreviations: Readonly<Record<string, string>> = {
  dir: 'directory',
  msg: 'message',
  cfg: 'configuration',
  ctx: 'context',
  idx: 'index',
  mgr: 'a noun that says what it does',
  cmd: 'command',
  pkg: 'package',
  evt: 'event',
  cb: 'a verb for what is called back',
  err: 'error',
  prev: 'previous',
  cnt: 'count',
  num: 'number',
  tmp: 'what it holds',
};

function checkAbbreviations(project: Project): Finding[] {
  const findings: Finding[] = [];
  for (const file of project.code()) {
    const told = new Set<string>();
    walk(file.syntax.program, (node, parents, key) => {
      const name = nameOf(node);
      if (name === undefined || told.has(name) || !file.syntax.boundNames.has(name)) return;
      if (key !== 'id' && key !== 'params' && key !== 'param') return;
      const word = name.split(/(?=[A-Z])|_/).find((part) => Object.hasOwn(abbreviations, part.toLowerCase()));
      if (word === undefined || parents.at(-1)?.type === 'ImportSpecifier') return;
      told.add(name);
      findings.push(
        findingAt(file, node, `write '${word}' in ${name} out: ${abbreviations[word.toLowerCase()]}`, name),
      );
    });
  }
  return findings;
}

/** The rules about names. */
export const nameRules: readonly Rule[] = [
  {
    id: 'H11',
    title: 'A file is named after what is in it.',
    why: 'Words such as the banned ones tell a history or collect what has no place.',
    check: checkFileNames,
  },
  {
    id: 'H12',
    title: 'A class name exists once, and no exported name ends in an empty word.',
    why: 'Rivals with the same noun drift apart.',
    check: checkClassNames,
  },
  {
    id: 'H13',
    title: 'A number that is a time says its unit last.',
    why: 'Milliseconds taken for seconds are found in production.',
    check: checkUnits,
  },
  {
    id: 'H14',
    title: 'Variables, parameters and functions are written out.',
    why: 'Names are read far more often than typed, and must work in prose.',
    check: checkAbbreviations,
  },
];

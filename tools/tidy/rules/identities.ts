// The chain of rule ids: declared in a header, in SPEC.md or in ARCHITECTURE.md, cited where upheld, named by a test.

import { isTestData, lineAt, type Project, type ProjectFile } from '../project.ts';
import { type Finding, findingOn, type Rule } from '../rule.ts';
import { testNames } from '../syntax.ts';

// A letter at the end tells the rules of one family apart; without it the whole family is meant.
const id = String.raw`[A-Z]{1,3}\d{1,3}[a-z]?`;
const separator = String.raw`(?:,\s*|;\s*|\s+and\s+|\s+to\s+|\s+or\s+)`;
const citation = new RegExp(String.raw`[([](${id}(?:${separator}${id})*)[)\]]`, 'g');
const headerDeclaration = new RegExp(String.raw`^[\s*]*(${id})\.\s+\S`);
const documentDeclaration = new RegExp(
  String.raw`^[-*|#\s]*(?:\*\*|\x60|\[)?(${id})(?:\*\*|\x60|\])?(?:\.(?:\*\*)?|:|\s|\s*\||$)`,
);
// Written like ids, but names of other people's standards.
const foreignIds = new Set(['SHA1', 'UTF8', 'UTF16', 'MD5', 'HTTP1', 'HTTP2', 'HTTP3', 'ES6', 'CRC32', 'RFC1']);

/** One mention of an id. */
type Mention = { id: string; path: string; line: number };

/** Every declaration and citation in a project. */
type Identities = { declared: Mention[]; cited: Mention[]; specified: Mention[]; tested: Set<string> };

function citedIn(text: string): string[] {
  return [...text.matchAll(citation)].flatMap((match) => match[1]?.match(new RegExp(id, 'g')) ?? []);
}

function isSpecification(file: ProjectFile): boolean {
  return file.path === 'ARCHITECTURE.md' || /^packages\/[^/]+\/SPEC\.md$/.test(file.path);
}

function collectDocument(file: ProjectFile, found: Identities): void {
  const here = new Set<string>();
  for (const [index, line] of file.text.split('\n').entries()) {
    const own = documentDeclaration.exec(line)?.[1];
    if (own !== undefined && !here.has(own) && !foreignIds.has(own)) {
      here.add(own);
      found.declared.push({ id: own, path: file.path, line: index + 1 });
      if (file.path.endsWith('/SPEC.md')) found.specified.push({ id: own, path: file.path, line: index + 1 });
    }
  }
}

function collectCode(project: Project, found: Identities): void {
  const specified = new Set(found.declared.map((mention) => mention.id));
  const places = new Map<string, string>();
  for (const file of project.code()) {
    for (const comment of file.syntax.comments) {
      const first = lineAt(file.text, comment.start);
      for (const [index, line] of comment.value.split('\n').entries()) {
        const own = headerDeclaration.exec(line)?.[1];
        const at = { path: file.path, line: first + index };
        // A header that repeats a rule of the specification cites it, and so does a docstring that repeats its header.
        const repeated = own !== undefined && (specified.has(own) || file.path === places.get(own));
        if (own !== undefined && repeated) found.cited.push({ id: own, ...at });
        else if (own !== undefined && !foreignIds.has(own)) {
          found.declared.push({ id: own, ...at });
          places.set(own, file.path);
        }
        for (const name of citedIn(line)) found.cited.push({ id: name, ...at });
      }
    }
    for (const { name, start } of testNames(file.syntax)) {
      for (const own of citedIn(name)) {
        found.cited.push({ id: own, path: file.path, line: lineAt(file.text, start) });
        found.tested.add(own);
      }
    }
  }
}

function identities(project: Project): Identities {
  const found: Identities = { declared: [], cited: [], specified: [], tested: new Set() };
  const documents = [...project.files.values()].filter((file) => isSpecification(file) && !isTestData(file.path));
  for (const file of documents) collectDocument(file, found);
  collectCode(project, found);
  found.cited = found.cited.filter((mention) => !foreignIds.has(mention.id));
  return found;
}

/** Ids of the house rules, whose tests carry their number in a name that is put together. */
function houseRuleIds(project: Project): Set<string> {
  const page = project.files.get('docs/house-rules.md')?.text ?? '';
  return new Set([...page.matchAll(/^\| (H\d+) \|/gm)].map((match) => match[1] ?? ''));
}

/** Where an id counts: in its package, or everywhere when a document declares it. */
function scopeOf(mention: Mention): string {
  return mention.path.endsWith('.md') ? '*' : (/^packages\/[^/]+/.exec(mention.path)?.[0] ?? 'tools');
}

/** Whether citing `cited` means the rule `declared`: the very one, or its family. */
function isMeant(declared: string, cited: string): boolean {
  return declared === cited || (/^[a-z]$/.test(declared.at(-1) ?? '') && declared.slice(0, -1) === cited);
}

/** The declarations that a citation means: those of its own package, else of a document, else any. */
function declarationsOf(cited: Mention, declared: readonly Mention[]): readonly Mention[] {
  const meant = declared.filter((mention) => isMeant(mention.id, cited.id));
  const own = meant.filter((mention) => scopeOf(mention) === scopeOf(cited));
  const documented = meant.filter((mention) => scopeOf(mention) === '*');
  if (own.length > 0) return own;
  return documented.length > 0 ? documented : meant;
}

function checkChain(project: Project): Finding[] {
  const { declared, cited } = identities(project);
  const findings: Finding[] = [];
  const numbered = houseRuleIds(project);
  const places = new Map<string, Mention[]>();
  const meant = new Set<Mention>();
  for (const mention of declared) {
    const others = places.get(mention.id) ?? [];
    const rival = others.find((other) => scopeOf(other) === scopeOf(mention));
    places.set(mention.id, [...others, mention]);
    if (rival === undefined) continue;
    meant.add(mention); // one finding is enough for it
    const message = `${mention.id} is declared in ${rival.path}:${rival.line} too: choose another id`;
    findings.push(findingOn(mention.path, mention.line, message, mention.id));
  }
  for (const mention of cited) {
    const declarations = declarationsOf(mention, declared);
    for (const declaration of declarations) meant.add(declaration);
    if (declarations.length > 0 || numbered.has(mention.id)) continue;
    const message = `${mention.id} is declared nowhere: declare it in a header or in SPEC.md`;
    findings.push(findingOn(mention.path, mention.line, message, mention.id));
  }
  for (const mention of declared.filter((candidate) => !meant.has(candidate))) {
    const message = `cite (${mention.id}) at the line that upholds it, or name [${mention.id}] in a test`;
    findings.push(findingOn(mention.path, mention.line, message, mention.id));
  }
  return findings;
}

function checkSpecification(project: Project): Finding[] {
  const { specified, tested } = identities(project);
  const untested = specified.filter((mention) => !tested.has(mention.id));
  return untested.map((mention) => {
    return findingOn(mention.path, mention.line, `write a test whose name begins with [${mention.id}]`, mention.id);
  });
}

/** The rules about ids. */
export const identityRules: readonly Rule[] = [
  {
    id: 'H20',
    title: 'An id is declared once in its package, and what is declared is cited.',
    why: 'The chain from rule to line to test can be followed by a machine.',
    check: checkChain,
  },
  {
    id: 'H21',
    title: 'Each rule of a SPEC.md begins the name of a test.',
    why: 'A rule without a test is a wish.',
    check: checkSpecification,
  },
];

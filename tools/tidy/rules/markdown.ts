// Pages that people read: links that lead somewhere, one title each.

import path from 'node:path';
import { isTestData, type Project, type ProjectFile } from '../project.ts';
import { type Finding, findingOn, type Rule } from '../rule.ts';

/** Lines of a page with fenced code blanked, so that numbers stay right. */
function proseLines(text: string): string[] {
  let fence = '';
  return text.split('\n').map((line) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (fence === '' && mark !== '') fence = mark;
    else if (fence !== '' && mark.startsWith(fence)) fence = '';
    else return fence === '' ? line : '';
    return '';
  });
}

/** The anchor that a heading gets on the usual forges. */
export function anchorOf(heading: string): string {
  const text = heading.replace(/`/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

function anchorsIn(file: ProjectFile): Set<string> {
  const headings = proseLines(file.text).map((line) => /^#{1,6}\s+(.*)$/.exec(line)?.[1]);
  return new Set(headings.filter((heading) => heading !== undefined).map(anchorOf));
}

function pages(project: Project): ProjectFile[] {
  return [...project.files.values()].filter((file) => file.path.endsWith('.md') && !isTestData(file.path));
}

function problemWith(link: string, page: ProjectFile, project: Project): string | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(link)) return undefined; // another site: not ours to check
  const [target = '', anchor = ''] = link.split('#');
  const place =
    target === '' ? page.path : path.posix.join(path.posix.dirname(page.path), decodeURI(target)).replace(/\/$/, '');
  const isFolder = [...project.files.keys()].some((file) => file.startsWith(`${place}/`));
  const file = project.files.get(place);
  if (file === undefined && !isFolder) return `'${link}' leads nowhere`;
  if (anchor === '' || file === undefined || !file.path.endsWith('.md')) return undefined;
  return anchorsIn(file).has(anchor) ? undefined : `'${link}' names no heading of ${place}`;
}

function checkLinks(project: Project): Finding[] {
  const findings: Finding[] = [];
  for (const page of pages(project)) {
    for (const [index, line] of proseLines(page.text).entries()) {
      for (const match of line.replace(/`[^`]*`/g, '').matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)) {
        const problem = problemWith(match[1] ?? '', page, project);
        if (problem !== undefined)
          findings.push(findingOn(page.path, index + 1, `mend the link: ${problem}`, match[1]));
      }
    }
  }
  return findings;
}

function checkTitles(project: Project): Finding[] {
  return pages(project).flatMap((page) => {
    const titles = proseLines(page.text).flatMap((line, index) => (/^# \S/.test(line) ? [index + 1] : []));
    if (titles.length === 1) return [];
    return [findingOn(page.path, titles[1] ?? 1, `give the page one title of the form '# …', not ${titles.length}`)];
  });
}

/** The rules about pages. */
export const markdownRules: readonly Rule[] = [
  {
    id: 'H22',
    title: 'A relative link leads to a file, and its anchor to a heading.',
    why: 'A dead link tells that nobody reads the page.',
    check: checkLinks,
  },
  {
    id: 'H23',
    title: 'A page has exactly one title.',
    why: 'Search and tables of contents go by it.',
    check: checkTitles,
  },
];

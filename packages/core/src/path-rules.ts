// Which paths may be written at all: a pure check of a path's text, before anything is resolved.
//
// Knows nothing of what a tree holds, so clashes of case or of file and folder are not judged here. It follows what
// git refuses to check out on any platform (`core.protectHFS` and `core.protectNTFS`) and what `git fsck --strict`
// calls an error, because trunk is cloned everywhere.
//
// Invariants, of every path that passes:
//   P1. It is the only text of its bytes, with no empty or "." segment, within the limits of length.
//   P2. It stays below the root of the tree, also where a backslash separates folders.
//   P3. No segment names git's own folder, in any spelling that a file system takes for it.
//   P4. No segment uses as a folder what git reads as a file.
//   P5. Its mode, where one is judged, suits what git reads there.

import { pathBytes, pathText, type TreePath, utf8 } from '@firetrident/base';
import type { FileMode } from './model.ts';

/** Longest path, and longest segment of one, in bytes. */
export const pathBytesMax = 4096;
export const segmentBytesMax = 255;

/** What is wrong with a path. */
export type PathProblem =
  | 'empty'
  | 'nul'
  | 'not-canonical'
  | 'absolute'
  | 'parent-segment'
  | 'empty-segment'
  | 'dot-segment'
  | 'path-too-long'
  | 'segment-too-long'
  | 'git-folder'
  | 'git-file-as-folder'
  | 'git-file-as-link';

/** A refused path. `code` is the caller's error code, `segment` the part at fault (the whole path when it is no part). */
export interface PathRefusal {
  readonly code: 'path_outside' | 'path_reserved' | 'path_invalid';
  readonly path: TreePath;
  readonly segment: string;
  readonly problem: PathProblem;
}

/** Code points that HFS+ ignores in names. */
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

// git's reader of HFS+ names stops at a malformed character as if the name ended there, so what follows one does not
// make another name of it. Lone surrogates stand for bytes that are not UTF-8.
const hfsEnd = '(?:$|[\\udc80-\\udcff\\ufffe\\uffff])';

const gitFolderOnNtfs = /^(?:\.git|git~1)[ .]*(?:$|[\\:])/i;
const gitFolderOnHfs = new RegExp(`^\\.git${hfsEnd}`, 'i');

/** Spellings of one of git's dot files. `hash` is the stem of the short name that NTFS falls back to. */
interface DotFile {
  readonly hfs: RegExp;
  readonly ntfs: RegExp;
}

function dotFile(name: string, hash: string): DotFile {
  const fallback: string[] = [];
  for (let kept = 0; kept <= hash.length; kept += 1) {
    fallback.push(`${hash.slice(0, kept)}~[1-9][0-9]{${hash.length - kept}}`);
  }
  const spellings = [`\\.${name}`, `${name.slice(0, 6)}~[1-4]`, ...fallback];
  return {
    hfs: new RegExp(`^\\.${name}${hfsEnd}`, 'i'),
    ntfs: new RegExp(`^(?:${spellings.join('|')})[ .]*(?:$|:)`, 'i'),
  };
}

const gitModules = dotFile('gitmodules', 'gi7eba');
const gitAttributes = dotFile('gitattributes', 'gi7d29');

function namesGitFolder(segment: string): boolean {
  if (gitFolderOnHfs.test(segment.replace(ignoredByHfs, ''))) return true;
  return segment.split('\\').some((part) => gitFolderOnNtfs.test(part));
}

function namesDotFile(segment: string, file: DotFile): boolean {
  return file.hfs.test(segment.replace(ignoredByHfs, '')) || file.ntfs.test(segment);
}

function namesGitModules(segment: string): boolean {
  return namesDotFile(segment, gitModules) || segment.split('\\').some((part) => gitModules.ntfs.test(part));
}

function isTooLong(text: string, bytesMax: number): boolean {
  // A UTF-16 unit is at most three bytes, so most texts need no encoding.
  if (text.length * 3 <= bytesMax) return false;
  return (text.isWellFormed() ? utf8(text) : pathBytes(text)).length > bytesMax;
}

function checkWhole(path: TreePath): PathRefusal | null {
  const refuse = (code: PathRefusal['code'], problem: PathProblem): PathRefusal => ({
    code,
    path,
    segment: path,
    problem,
  });
  if (path === '') return refuse('path_invalid', 'empty');
  if (path.includes('\0')) return refuse('path_invalid', 'nul');
  // Escapes that spell valid UTF-8, and surrogates that stand for no byte (P1).
  if (!path.isWellFormed() && pathText(pathBytes(path)) !== path) return refuse('path_invalid', 'not-canonical');
  if (path.startsWith('/')) return refuse('path_outside', 'absolute');
  if (isTooLong(path, pathBytesMax)) return refuse('path_invalid', 'path-too-long');
  return null;
}

/**
 * Judges the text of a path. `path_outside`: absolute or with a `..` part. `path_reserved`: names git's own folder, or
 * uses as a folder what must be a file for git. `path_invalid`: empty, NUL, an empty or `.` segment, too long, or not
 * the canonical text of its bytes. Null when the path may be written (P1 to P4).
 */
export function checkPath(path: TreePath): PathRefusal | null {
  const whole = checkWhole(path);
  if (whole !== null) return whole;
  const segments = path.split('/');
  // Leaving the tree is the graver fault, so it is named before any other (P2).
  const parent = segments.find((segment) => segment.split('\\').includes('..'));
  if (parent !== undefined) return { code: 'path_outside', path, segment: parent, problem: 'parent-segment' };
  for (const [index, segment] of segments.entries()) {
    const refuse = (code: PathRefusal['code'], problem: PathProblem): PathRefusal => ({ code, path, segment, problem });
    if (segment === '') return refuse('path_invalid', 'empty-segment');
    if (segment === '.') return refuse('path_invalid', 'dot-segment');
    if (isTooLong(segment, segmentBytesMax)) return refuse('path_invalid', 'segment-too-long');
    if (namesGitFolder(segment)) return refuse('path_reserved', 'git-folder');
    // git reads these two as files wherever they stand (P4).
    const isFolder = index < segments.length - 1;
    if (isFolder && (namesGitModules(segment) || namesDotFile(segment, gitAttributes))) {
      return refuse('path_reserved', 'git-file-as-folder');
    }
  }
  return null;
}

/**
 * Judges a path together with the mode that is to stand there: besides `checkPath`, a `.gitmodules` must be a regular
 * file and a `.gitattributes` must not be a submodule (P5). Symbolic links named `.gitattributes`, `.gitignore` or
 * `.mailmap` pass, as git only remarks on them.
 */
export function checkEntry(path: TreePath, mode: FileMode): PathRefusal | null {
  const refusal = checkPath(path);
  if (refusal !== null) return refusal;
  const segment = path.slice(path.lastIndexOf('/') + 1);
  const isLink = mode === '120000' || mode === '160000';
  if (isLink && namesGitModules(segment)) {
    return { code: 'path_reserved', path, segment, problem: 'git-file-as-link' };
  }
  if (mode === '160000' && namesDotFile(segment, gitAttributes)) {
    return { code: 'path_reserved', path, segment, problem: 'git-file-as-link' };
  }
  return null;
}

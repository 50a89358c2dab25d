// Paths on the wire: text, or base64 of the bytes when they are not UTF-8.
//
//   CP1. The text form is only for well-formed text; the two forms of one path never both come out.

import { isTextPath, pathBytes, pathText, type TreePath } from '@firetrident/base';

/** `path` or `pathBase64`, as fields of an object. */
export function namedPath(path: TreePath): { path: string } | { pathBase64: string } {
  return isTextPath(path) ? { path } : { pathBase64: base64(path) };
}

/** The same for a folder whose listing was read. */
export function namedFolder(path: TreePath): { dir: string } | { dirBase64: string } {
  return isTextPath(path) ? { dir: path } : { dirBase64: base64(path) };
}

/** The same for one segment of a listing. */
export function namedEntry(name: string): { name: string } | { nameBase64: string } {
  return isTextPath(name) ? { name } : { nameBase64: base64(name) };
}

/** A path inside a list. */
export function listedPath(path: TreePath): string | { pathBase64: string } {
  return isTextPath(path) ? path : { pathBase64: base64(path) };
}

/** A path of a request in either form; a schema has seen to it that there is one (CP1). */
export function requestedPath(text: string | undefined, inBase64: string | undefined): TreePath {
  return text ?? pathText(Buffer.from(inBase64 ?? '', 'base64'));
}

function base64(path: TreePath): string {
  return Buffer.from(pathBytes(path)).toString('base64');
}

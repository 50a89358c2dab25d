// What an agent that asks first may do, without a person: decided by the kind of the tool and by where it acts.
//
//   PE1. Under `edits` nothing outside the checkout is granted, and no program is run.

import { isAbsolute, relative, resolve, sep } from 'node:path';

/** `all`: whatever it asks. `edits`: reads and changes of files of its checkout. `none`: nothing that it asks for. */
export const permissionPolicies = ['all', 'edits', 'none'] as const;
export type PermissionPolicy = (typeof permissionPolicies)[number];

/** Kinds of tools that read or change files and do nothing else. */
const fileKinds: readonly string[] = ['read', 'edit', 'delete', 'move', 'search', 'think'];

/** Whether a tool of this kind may act at these paths (PE1). */
export function isGranted(
  policy: PermissionPolicy,
  asked: { readonly kind: string; readonly paths: readonly string[]; readonly directory: string },
): boolean {
  if (policy !== 'edits') return policy === 'all';
  return fileKinds.includes(asked.kind) && asked.paths.every((path) => pathInside(asked.directory, path) !== null);
}

/** The path as one of the tree at `directory`; null when it lies outside, or in git's own folder. */
export function pathInside(directory: string, path: string): string | null {
  const place = relative(directory, resolve(directory, path));
  if (place === '' || isAbsolute(place)) return null;
  const segments = place.split(sep);
  return segments[0] === '..' || segments[0]?.toLowerCase() === '.git' ? null : segments.join('/');
}

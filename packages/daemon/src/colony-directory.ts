// The colonies of one data directory, as the surfaces see them.
//
// Never here: how a colony is stored, imported or recovered; the composer does that.

import type { Result } from '@firetrident/base';
import type { Policy } from '@firetrident/core';
import type { Colony } from '@firetrident/engine';
import type { Upstream } from './upstream/upstream.ts';

/** Where the first commits of a colony come from. `path` is a directory on this machine. */
export type RepositorySource =
  | { readonly kind: 'empty' }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string };

/** What a colony is made of. `branch` null takes the source's own, or `main`. */
export interface CreateColony {
  readonly id: string;
  readonly source: RepositorySource;
  readonly branch: string | null;
  readonly policy: Policy;
}

/** Expected refusals of the directory itself. */
export type DirectoryRefusal =
  | { readonly code: 'colony_exists'; readonly id: string }
  | { readonly code: 'unknown_colony'; readonly id: string }
  | { readonly code: 'repository_unusable'; readonly source: string; readonly problem: string; readonly hint: string }
  | { readonly code: 'storage_unavailable'; readonly problem: string; readonly hint: string };

/** Every colony of one data directory; it owns them and closes them. */
export interface ColonyDirectory {
  /** Imports, founds and opens. Nothing remains of a colony that was refused. */
  create(request: CreateColony): Promise<Result<Colony, DirectoryRefusal>>;
  /** The open colony of this id, or null. */
  get(id: string): Colony | null;
  /** Every open colony, by id. */
  list(): readonly Colony[];
  /** What keeps an open colony in step with a repository elsewhere, or null when there is no such colony. */
  upstream(id: string): Upstream | null;
  /** Closes the colony and deletes all that it kept. */
  remove(id: string): Promise<Result<null, DirectoryRefusal>>;
  /** Closes every colony; what was acknowledged is durable already. */
  close(): Promise<void>;
}

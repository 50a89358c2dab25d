// Where a colony's upstream is and how it is kept in step: one file beside the colony, because addresses hold secrets.
//
//   US1. The file is readable by its owner only, and whole or not there.
//   US2. An address is never shown with its password.

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Oid } from '@firetrident/base';

/**
 * `mirror`: what landed here is pushed, what others pushed there comes in as an external landing. `upstream`: nothing has landed
 * before it stands there.
 */
export type UpstreamMode = 'mirror' | 'upstream';

/** What an administrator says about an upstream. */
export interface UpstreamSettings {
  readonly url: string;
  readonly mode: UpstreamMode;
  readonly branch: string;
  readonly pushesPerMinute: number;
  /** Nothing is fetched or pushed until an administrator says so. */
  readonly isPaused: boolean;
  /** What stood there when it was last taken in; null before the first time. */
  readonly seen: Oid | null;
}

const fileName = 'upstream.json';

/** The settings of a colony's directory, or null when it has no upstream. */
export function loadUpstream(directory: string): UpstreamSettings | null {
  try {
    const kept = JSON.parse(readFileSync(join(directory, fileName), 'utf8')) as UpstreamSettings;
    // Earlier versions could not pause.
    return { ...kept, isPaused: kept.isPaused ?? false };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Keeps the settings, or that there is no upstream (US1). */
export function saveUpstream(directory: string, settings: UpstreamSettings | null): void {
  const path = join(directory, fileName);
  if (settings === null) {
    rmSync(path, { force: true });
    return;
  }
  const file = openSync(`${path}.new`, 'w', 0o600);
  try {
    writeSync(file, JSON.stringify(settings));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
}

/**
 * Text without the user name, the password and the query of any address in it (US2). Whatever stands before the last `@` of a
 * word counts as theirs: rather too little is shown than too much.
 */
export function withoutSecrets(text: string): string {
  const nameless = text.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)\S*@/gi, '$1');
  return nameless.replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?'"]*)\?[^\s'"]*/gi, '$1');
}

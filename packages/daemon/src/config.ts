// The daemon's settings: from options and the environment to one frozen record, decided once.
//
// The only file that reads the environment.
//
//   CF1. A key that the catalogue does not know is refused by name; a value that does not fit is refused with its key.
//   CF2. An option wins over the environment, the environment over the default.

import { resolve } from 'node:path';
import process from 'node:process';
import { no, ok, type Result } from '@firetrident/base';
import { type DaemonSettingName, daemonSettings } from '@firetrident/protocol';
import type { LogLevel } from './logger.ts';

/** Settings as the command line or a test gives them; absent ones come from the environment or the default (CF2). */
export interface DaemonOptions {
  readonly data?: string;
  /** TCP port; 0 takes any free one. */
  readonly port?: number;
  readonly host?: string;
  readonly origins?: readonly string[];
  readonly logLevel?: LogLevel;
  /** How long a shutdown waits for calls in flight. */
  readonly shutdownMs?: number;
  /** Clones and fetches that git serves at once. */
  readonly gitReaders?: number;
}

/** The resolved settings. */
export interface DaemonConfiguration {
  /** Absolute path. */
  readonly data: string;
  /** `fallback`: a taken port is replaced by a free one. */
  readonly port: { readonly number: number; readonly fallback: boolean };
  readonly host: string;
  readonly origins: readonly string[];
  readonly logLevel: LogLevel;
  readonly shutdownMs: number;
  readonly gitReaders: number;
}

/** A setting that was refused. */
export interface ConfigurationProblem {
  readonly key: string;
  /** One sentence for a person. */
  readonly message: string;
}

/** Variables by name, as the platform gives them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The default port. */
export const defaultPort = 7400;
/** Clones and fetches that are served at once unless a setting says otherwise. */
const defaultGitReaders = 4;

const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];

/** The environment of this process. */
export function readEnvironment(): Environment {
  return process.env;
}

/** Variables beginning with FT_ that other parts of the product read; those of agents' commands share prefixes. */
const foreignVariables = /^FT_(AGENT|INTENT|LEASE|BASE|COLONY|WORKSPACE|RETURN|BRIEF|CACHE)(_|$)/;

/** Settles every setting (CF1, CF2). */
export function resolveConfiguration(
  options: DaemonOptions,
  environment: Environment,
): Result<DaemonConfiguration, ConfigurationProblem> {
  const unknown = unknownKey(options, environment);
  if (unknown !== null) return no(unknown);
  const merged = { ...fromEnvironment(environment), ...presentOptions(options) };
  for (const [name, accepts] of Object.entries(accepted)) {
    const value = merged[name as keyof typeof accepted];
    if (value !== undefined && !accepts.test(value)) return no(problemOf(name, accepts.expected));
  }
  const port = merged.port === undefined ? null : Number(merged.port);
  return ok(
    Object.freeze({
      data: resolve(String(merged.data ?? '.firetrident')),
      port: port === null ? { number: defaultPort, fallback: true } : { number: port, fallback: false },
      host: String(merged.host ?? '127.0.0.1'),
      origins: (merged.origins as readonly string[] | undefined) ?? [],
      logLevel: (merged.logLevel as LogLevel | undefined) ?? 'info',
      shutdownMs: merged.shutdownMs === undefined ? 10_000 : Number(merged.shutdownMs),
      gitReaders: merged.gitReaders === undefined ? defaultGitReaders : Number(merged.gitReaders),
    }),
  );
}

type OwnSetting = Exclude<DaemonSettingName, 'url' | 'token'>;

function isOrigin(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return URL.canParse(value) && new URL(value).origin === value;
}

const accepted: Readonly<
  Record<OwnSetting, { readonly expected: string; readonly test: (value: unknown) => boolean }>
> = {
  data: {
    expected: 'a directory',
    test: (value) => typeof value === 'string' && value !== '' && !value.includes('\0'),
  },
  port: { expected: 'a whole number from 0 to 65535', test: (value) => isWhole(value, 65_535) },
  host: { expected: 'an address', test: (value) => typeof value === 'string' && /^[0-9A-Za-z.:_-]+$/.test(value) },
  origins: {
    expected: 'origins such as https://example.org, separated by commas',
    test: (value) => Array.isArray(value) && value.every(isOrigin),
  },
  logLevel: { expected: `one of ${logLevels.join(', ')}`, test: (value) => logLevels.includes(value as LogLevel) },
  shutdownMs: { expected: 'whole milliseconds up to 600000', test: (value) => isWhole(value, 600_000) },
  gitReaders: {
    expected: 'a whole number from 1 to 256',
    test: (value) => isWhole(value, 256) && Number(value) >= 1,
  },
};

function isWhole(value: unknown, bound: number): boolean {
  const written = typeof value === 'string' && /^[0-9]{1,9}$/.test(value);
  if (typeof value !== 'number' && !written) return false;
  return Number.isInteger(Number(value)) && Number(value) >= 0 && Number(value) <= bound;
}

function problemOf(name: string, expected: string): ConfigurationProblem {
  const setting = daemonSettings[name as OwnSetting];
  const names = [setting.flag, setting.environment].filter((key) => key !== null).join(' or ');
  return { key: name, message: `${names} must be ${expected}.` };
}

function presentOptions(options: DaemonOptions): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function fromEnvironment(environment: Environment): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(daemonSettings)) {
    if (setting.reader !== 'daemon' || setting.environment === null) continue;
    const value = environment[setting.environment];
    if (value === undefined || value === '') continue;
    values[name] = name === 'origins' ? value.split(',').map((origin) => origin.trim()) : value;
  }
  return values;
}

function unknownKey(options: DaemonOptions, environment: Environment): ConfigurationProblem | null {
  for (const key of Object.keys(options)) {
    if (!Object.hasOwn(accepted, key)) return { key, message: `There is no setting named ${key}.` };
  }
  const known = new Set<string>(Object.values(daemonSettings).flatMap((setting) => setting.environment ?? []));
  for (const key of Object.keys(environment)) {
    if (!key.startsWith('FT_') || known.has(key) || foreignVariables.test(key)) continue;
    return { key, message: `There is no variable named ${key}; ${[...known].join(', ')} exist.` };
  }
  return null;
}

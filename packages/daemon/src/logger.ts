// The daemon's log: one JSON line per entry on standard error.
//
//   LO1. No secret is ever logged: entries carry names and ids, never headers, addresses with queries or bodies, and
//        fields that are named like secrets are struck out.

import { pino } from 'pino';

/** Least level of the lines that are written. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Where lines go. */
export interface LogStream {
  write(line: string): void;
}

/** A log. `fields` are plain data. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

const secretFields = ['token', 'adminToken', 'authorization', 'ticket', 'tokenHash', 'password', 'secret'];

/** Makes a log on `stream`, or on standard error. */
export function createLogger(level: LogLevel, stream: LogStream | null): Logger {
  const sink = stream ?? pino.destination({ fd: 2, sync: true });
  const redact = secretFields.flatMap((field) => [field, `*.${field}`]);
  const lines = pino({ level, base: null, redact, timestamp: pino.stdTimeFunctions.isoTime }, sink);
  return {
    debug: (message, fields) => lines.debug(fields ?? {}, message),
    info: (message, fields) => lines.info(fields ?? {}, message),
    warn: (message, fields) => lines.warn(fields ?? {}, message),
    error: (message, fields) => lines.error(fields ?? {}, message),
  };
}

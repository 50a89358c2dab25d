// Secrets and tickets: how they are made, kept and spent.

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { wireLimits } from '@firetrident/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../tests/support/git-repository.ts';
import { adminTokenPath, createToken, hashToken, loadAdminToken, sameHash } from './secrets.ts';
import { TicketOffice } from './tickets.ts';

describe('tokens', () => {
  test('a token says what it is for and is never made twice', () => {
    const tokens = Array.from({ length: 100 }, () => createToken('agent'));
    expect(new Set(tokens).size).toBe(100);
    for (const token of tokens) expect(token).toMatch(/^ft_agent_[A-Za-z0-9_-]{43}$/);
  });

  test('[SE1] hashes are compared whole', () => {
    const hash = hashToken('a');
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(sameHash(hash, hashToken('a'))).toBe(true);
    expect(sameHash(hash, hashToken('b'))).toBe(false);
    expect(sameHash(hash, hash.slice(2))).toBe(false);
  });
});

describe("the administrator's token", () => {
  let place: ReturnType<typeof temporaryDirectory>;
  beforeEach(() => {
    place = temporaryDirectory('firetrident-secrets-');
  });
  afterEach(() => place.remove());

  test('[SE2] it is made once, for its owner only', () => {
    const token = loadAdminToken(place.path);
    expect(loadAdminToken(place.path)).toBe(token);
    expect(readFileSync(adminTokenPath(place.path), 'utf8')).toBe(`${token}\n`);
    expect(statSync(adminTokenPath(place.path)).mode & 0o777).toBe(0o600);
  });

  test('[SE2] a file that others can read is closed to them', () => {
    const token = createToken('admin');
    writeFileSync(adminTokenPath(place.path), token, { mode: 0o644 });
    expect(loadAdminToken(place.path)).toBe(token);
    expect(statSync(adminTokenPath(place.path)).mode & 0o777).toBe(0o600);
  });

  test('a file whose writing was cut short is made again', () => {
    writeFileSync(adminTokenPath(place.path), 'ft_admin_cut', { mode: 0o644 });
    expect(loadAdminToken(place.path)).toMatch(/^ft_admin_[A-Za-z0-9_-]{43}$/);
    expect(statSync(adminTokenPath(place.path)).mode & 0o777).toBe(0o600);
  });
});

describe('tickets', () => {
  const admin = { kind: 'admin' } as const;

  function issued(office: TicketOffice, now: number): string {
    const ticket = office.issue('web', admin, now);
    if (ticket === null) throw new Error('no ticket');
    return ticket.ticket;
  }

  test('[TI1] a ticket is good once', () => {
    const office = new TicketOffice();
    const ticket = issued(office, 0);
    expect(office.redeem(ticket, 'web', 1)).toEqual(admin);
    expect(office.redeem(ticket, 'web', 1)).toBeNull();
  });

  test('[TI1] not for another colony, and not after its life', () => {
    const office = new TicketOffice();
    expect(office.redeem(issued(office, 0), 'other', 1)).toBeNull();
    expect(office.redeem(issued(office, 0), 'web', wireLimits.ticketMs)).toBeNull();
    expect(office.redeem('ft_ticket_made-up', 'web', 1)).toBeNull();
  });

  test('[TI2] there are only so many, and old ones make room', () => {
    const office = new TicketOffice();
    let count = 0;
    while (office.issue('web', admin, 0) !== null) count += 1;
    expect(count).toBe(10_000);
    expect(office.issue('web', admin, wireLimits.ticketMs)).not.toBeNull();
  });
});

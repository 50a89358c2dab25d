// The error that names the field at fault, tried on every request that the interface knows.

import { type Endpoint, endpoints } from '@firetrident/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { brokenBody } from '../../../tests/support/broken-bodies.ts';
import { requestExamples } from '../../../tests/support/request-examples.ts';
import { fieldName, readQuery, validate } from './validation.ts';

/** Open by design: what it asks for beyond being off is refused as not supported. */
const openRequests = ['setDecidePolicy'];

const examples = Object.entries(requestExamples).flatMap(([name, bodies]) =>
  (bodies as readonly unknown[]).map((body, index) => ({ name, title: `${name} ${index}`, body })),
);

function schemaOf(name: string) {
  const { request } = endpoints[name as keyof typeof endpoints] as Endpoint;
  if (request === null || request === 'bytes') throw new Error(`${name} has no JSON request`);
  return request;
}

describe('requests', () => {
  test('every endpoint with a JSON body has an example', () => {
    const withBody = Object.entries<Endpoint>(endpoints).filter(
      ([, { request }]) => request !== null && request !== 'bytes',
    );
    expect(Object.keys(requestExamples).sort()).toEqual(withBody.map(([name]) => name).sort());
  });

  test.each(examples)('$title is accepted whole', ({ name, body }) => {
    expect(validate(schemaOf(name), body)).toMatchObject({ ok: true });
  });

  test.each(examples.filter(({ name }) => !openRequests.includes(name)))(
    '[VA1] $title but for one field is refused, and the field is named',
    ({ name, body }) => {
      fc.assert(
        fc.property(brokenBody(body), (broken) => {
          const checked = validate(schemaOf(name), broken.body);
          if (checked.ok) throw new Error(`accepted ${JSON.stringify(broken.body)}`);
          expect(checked.error.code).toBe('invalid_request');
          const problems = (checked.error.details?.problems ?? []) as { field: string }[];
          const named = problems.map(({ field }) => field);
          // A list or object in the place of the value is judged inside; then the fault is named further in.
          expect(
            named.some(
              (field) =>
                field === broken.field ||
                field.startsWith(`${broken.field}.`) ||
                field.startsWith(`${broken.field}[`) ||
                broken.field.startsWith(field),
            ),
          ).toBe(true);
          expect(JSON.stringify(checked.error).length).toBeLessThan(10_000);
        }),
        { numRuns: 150 },
      );
    },
  );

  test('[VA1] an unknown field deep inside is named by its path', () => {
    const [body] = structuredClone(requestExamples.propose);
    Object.assign(body?.writes[1] ?? {}, { colour: 'red' });
    const checked = validate(schemaOf('propose'), body);
    expect(checked).toMatchObject({
      ok: false,
      error: { value: 'writes[1].colour', message: 'writes[1].colour: no such field.' },
    });
  });

  test.each([
    [{ path: 'a' }, 'writes[0].content'],
    [{ path: 'a', content: 'x', blob: '0'.repeat(40) }, 'writes[0].blob'],
    [{ content: 'x' }, 'writes[0].path'],
    [{ path: 'a', pathBase64: 'YQ==', content: 'x' }, 'writes[0].pathBase64'],
    [{ path: 'a', delete: true, mode: '100644' }, 'writes[0].mode'],
    [{ path: 'a', delete: false }, 'writes[0].delete'],
    [{ path: 'a', content: 'x', mode: '160000' }, 'writes[0].mode'],
    [{ path: 'a', contentBase64: 'YQ' }, 'writes[0].contentBase64'],
    [{ path: 'a', content: '\ud800' }, 'writes[0].content'],
  ])('a write such as %j is refused at %s', (write, field) => {
    const [body] = structuredClone(requestExamples.propose);
    expect(validate(schemaOf('propose'), { ...body, writes: [write] })).toMatchObject({
      ok: false,
      error: { value: field },
    });
  });

  test.each([
    [{}, 'reads[0].path'],
    [{ path: 'a', glob: 'b' }, 'reads[0].glob'],
    [{ dir: 'a', blob: null }, 'reads[0].blob'],
    [{ path: 'a', symbol: 'x', lines: [1, 2] }, 'reads[0].lines'],
    [{ path: 'a', signature: true }, 'reads[0].signature'],
    [{ path: 'a', lines: [3, 2] }, 'reads[0].lines'],
    [{ path: 'a', lines: [0, 2] }, 'reads[0].lines[0]'],
    [{ path: 'a', at: 'main' }, 'reads[0].at'],
  ])('a read such as %j is refused at %s', (read, field) => {
    const [body] = structuredClone(requestExamples.propose);
    expect(validate(schemaOf('propose'), { ...body, reads: [read] })).toMatchObject({
      ok: false,
      error: { value: field },
    });
  });
});

describe('queries', () => {
  test('a field that comes twice is refused', () => {
    expect(readQuery('limit=1&limit=2')).toMatchObject({ ok: false, error: { value: 'limit' } });
  });

  test.each([['limit=0'], ['limit=1001'], ['limit=ten'], ['limit=1e3'], ['limit=']])('%s is no page size', (text) => {
    const fields = readQuery(text);
    expect(validate(endpoints.listLandings.query, fields.ok ? fields.value : null)).toMatchObject({
      ok: false,
      error: { value: 'limit' },
    });
  });
});

test('fields are named as people write them', () => {
  expect(fieldName(['writes', 3, 'path'])).toBe('writes[3].path');
  expect(fieldName([])).toBe('');
});

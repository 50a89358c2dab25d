// Bodies that are valid but for one place: what a careless or hostile caller sends.

import fc from 'fast-check';

/** A body with exactly one thing wrong, and the name of the field that is at fault. */
export interface BrokenBody {
  readonly body: unknown;
  readonly field: string;
}

interface Place {
  readonly container: Record<string, unknown> | unknown[];
  readonly key: string | number;
  readonly field: string;
}

function nameBelow(above: string, key: string | number): string {
  if (typeof key === 'number') return `${above}[${key}]`;
  return above === '' ? key : `${above}.${key}`;
}

/** Every place of a body that holds a value. */
function placesOf(value: unknown, above = ''): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const container = value as Record<string, unknown> | unknown[];
  const keys = Array.isArray(container) ? [...container.keys()] : Object.keys(container);
  return keys.flatMap((key) => {
    const field = nameBelow(above, key);
    const held = (container as Record<string | number, unknown>)[key];
    return [{ container, key, field }, ...placesOf(held, field)];
  });
}

/** Every object of a body, with its name; maps whose keys are free are left out. */
function objectsOf(value: unknown, above = ''): { object: Record<string, unknown>; field: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([key, item]) =>
    objectsOf(item, nameBelow(above, Array.isArray(value) ? Number(key) : key)),
  );
  const isOpen = Array.isArray(value) || /(^|\.)(paths|merge|decide)$/.test(above);
  return isOpen ? below : [{ object: value as Record<string, unknown>, field: above }, ...below];
}

/** Values of another type than `value` has. No field of the interface takes all of them. */
function otherTypes(value: unknown): unknown[] {
  const all: unknown[] = [true, 7.25, 'not this', ['list'], { some: 'object' }];
  return all.filter((other) => Array.isArray(other) !== Array.isArray(value) || typeof other !== typeof value);
}

/** Breaks a valid body in one place: an unknown field somewhere, or a value of another type. */
export function brokenBody(valid: unknown): fc.Arbitrary<BrokenBody> {
  const unknownField = fc.nat().map((draw): BrokenBody => {
    const body = structuredClone(valid);
    const objects = objectsOf(body);
    const chosen = objects[draw % objects.length];
    if (chosen === undefined) throw new Error('the body has no object');
    chosen.object.surprise = 1;
    return { body, field: nameBelow(chosen.field, 'surprise') };
  });
  const wrongType = fc.tuple(fc.nat(), fc.nat()).map(([drawPlace, drawValue]): BrokenBody => {
    const body = structuredClone(valid);
    const places = placesOf(body);
    const place = places[drawPlace % places.length];
    if (place === undefined) throw new Error('the body has no field');
    const held = (place.container as Record<string | number, unknown>)[place.key];
    const others = otherTypes(held);
    (place.container as Record<string | number, unknown>)[place.key] = others[drawValue % others.length];
    return { body, field: place.field };
  });
  return placesOf(structuredClone(valid)).length === 0 ? unknownField : fc.oneof(unknownField, wrongType);
}

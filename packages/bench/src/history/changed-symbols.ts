// The exported names that a change of a file touches.
//
//   CS1. A name is touched when it appears, disappears, or its declarations have other tokens: comments and layout touch nothing.
//   CS2. A text that does not parse leaves it unknown what was touched.

import { type ModuleExport, type ParsedModule, symbolSlice } from '@firetrident/content';

function textOf(module: ParsedModule & { ok: true }, name: string, entries: readonly ModuleExport[]): string {
  const forwarded = entries.map((entry) =>
    entry.kind === 'forwarded' ? `${entry.specifier}\n${entry.imported}\n${entry.typeOnly}` : '',
  );
  return `${symbolSlice(module, name, { signature: false }) ?? ''}\n${forwarded.join('\n')}`;
}

function textsOf(module: (ParsedModule & { ok: true }) | null): ReadonlyMap<string, string> {
  if (module === null) return new Map();
  const texts = new Map([...module.exports].map(([name, entries]) => [name, textOf(module, name, entries)]));
  // What a star hands on is known by the other module only: a star stands for itself.
  for (const star of module.stars) texts.set(`* from ${star.specifier}`, String(star.typeOnly));
  return texts;
}

/**
 * The names touched between two modules, sorted (CS1); a side is null when the file is not there. Null when a side does not
 * parse (CS2), or when what it hands on from everywhere else changes.
 */
export function changedSymbols(before: ParsedModule | null, after: ParsedModule | null): readonly string[] | null {
  if (before?.ok === false || after?.ok === false) return null;
  const [old, current] = [textsOf(before), textsOf(after)];
  const names = new Set([...old.keys(), ...current.keys()]);
  const touched = [...names].filter((name) => old.get(name) !== current.get(name)).sort();
  return touched.some((name) => name.startsWith('* from ')) ? null : touched;
}

// Which licence a repository states, as an SPDX expression.

import { existsSync, readFileSync } from 'node:fs';

/** @type {[RegExp, string][]} words by which the text of a common licence is known; the first that fits counts */
const marks = [
  [/Apache License\s+Version 2\.0/, 'Apache-2.0'],
  [/Mozilla Public License Version 2\.0/i, 'MPL-2.0'],
  [/GNU AFFERO GENERAL PUBLIC LICENSE\s+Version 3/, 'AGPL-3.0-only'],
  [/GNU LESSER GENERAL PUBLIC LICENSE\s+Version 3/, 'LGPL-3.0-only'],
  [/GNU GENERAL PUBLIC LICENSE\s+Version 3/, 'GPL-3.0-only'],
  [/GNU GENERAL PUBLIC LICENSE\s+Version 2/, 'GPL-2.0-only'],
  [/Permission to use, copy, modify, and\/or distribute this software for any/, 'ISC'],
  [/Redistribution and use in source and binary forms[\s\S]*Neither the name/, 'BSD-3-Clause'],
  [/Redistribution and use in source and binary forms/, 'BSD-2-Clause'],
  [/Permission is hereby granted, free of charge/, 'MIT'],
];

/** The licence of the repository around the current folder; NOASSERTION when it states none that is known. */
export function statedLicence() {
  if (existsSync('package.json')) {
    try {
      const { license } = JSON.parse(readFileSync('package.json', 'utf8'));
      if (typeof license === 'string' && /^[A-Za-z0-9.+-]+$/.test(license)) return license;
    } catch {
      // A manifest that cannot be read states nothing.
    }
  }
  for (const name of ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'LICENCE', 'COPYING']) {
    if (!existsSync(name)) continue;
    const text = readFileSync(name, 'latin1');
    const found = marks.find(([mark]) => mark.test(text));
    if (found !== undefined) return found[1];
  }
  return 'NOASSERTION';
}

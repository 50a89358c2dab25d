// The one door of every command in this checkout: `node tools/entry.mjs <target> [arguments]`.
//
// Plain JavaScript without dependencies, because it runs before anything is installed and on an older
// Node than the product needs. What it opens is listed in entry/targets.mjs.

import process from 'node:process';
import { enter } from './entry/enter.mjs';

await enter(process.argv[2] ?? '', process.argv.slice(3));

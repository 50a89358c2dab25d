#!/usr/bin/env node
// The command `firetrident` (short: `ft`) in a checkout: the same door as every script, opened on the command line.
// Plain JavaScript, because the Node that runs it may be older than the one that runs the product.

import process from 'node:process';
import { enter } from '../../../tools/entry/enter.mjs';

await enter('firetrident', process.argv.slice(2));

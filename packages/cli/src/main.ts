// The entry of the command line.
//
// Node keeps what it compiled (and erased types from) in a cache of its own, which has to be switched on before the rest
// is loaded: it halves the time to the first line of output.

import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./run-program.ts');

// Where the trunk thread begins: Node's cache of compiled modules is switched on before the rest is loaded, which has to be
// done in each thread by itself and halves the time to start.

import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./room-worker.ts');

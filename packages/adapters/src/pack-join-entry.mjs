// Where the thread that joins packs begins. Node's cache of compiled modules is switched on before the rest is loaded, which has to be
// done in each thread by itself. Plain JavaScript, because the first file is loaded without the cache: erasing types from it would
// load the eraser, which takes 12 MiB of each thread and a part of its start.

import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./pack-join-worker.ts');

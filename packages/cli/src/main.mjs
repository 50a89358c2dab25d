// The entry of the command line: makes loading cheap, then runs the command.
//
// Node keeps what it compiled, and erased types from, in a cache of its own. It has to be switched on before anything
// else is loaded, so everything else is loaded from here; and this file is plain JavaScript, because erasing types from it
// would load the eraser, which takes 12 MiB.

import { enableCompileCache } from 'node:module';

enableCompileCache();
const { runCommandLine } = await import('./command-line.ts');
await runCommandLine();

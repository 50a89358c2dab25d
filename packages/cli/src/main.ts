// The entry of the command line under the name that programs of TypeScript start.

await import('./main.mjs');

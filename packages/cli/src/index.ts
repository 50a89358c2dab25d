// The command line.
export { programOf } from './program.ts';
export { type CommandLineReference, type CommandReference, commandLineReference } from './reference.ts';

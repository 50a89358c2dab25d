// The command line.
export { programOf } from './program.ts';

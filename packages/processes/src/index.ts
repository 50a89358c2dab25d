// Programs in groups of their own, which end with the process that started them.

export { type GuardedOptions, type GuardedProgram, startGuarded } from './start-guarded.ts';

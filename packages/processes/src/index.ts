// Programs in groups of their own, which end with the process that started them.

export { endGroup } from './group-end.ts';
export { forgetGroup, guardGroup } from './group-guard.ts';
export { type GuardedOptions, startGuarded } from './start-guarded.ts';

// The daemon: HTTP and WebSocket around the colonies of one data directory.

export type { ColonyDirectory, CreateColony, DirectoryRefusal, RepositorySource } from './colony-directory.ts';
export { type DaemonConfiguration, type DaemonOptions, defaultPort } from './config.ts';
export { type DataDirectoryFacts, describeData } from './data-directory.ts';
export type { LogLevel, LogStream } from './logger.ts';
export { type RunningDaemon, StartError, type StartProblem, type StartSurroundings, startDaemon } from './main.ts';
export { adminTokenPath } from './secrets.ts';

// The typed client of a colony's daemon.

export { AgentSocket, type AgentSocketSettings, type SocketCallOptions } from './agent-socket.ts';
export {
  type AddressParts,
  addressOf,
  type CallOptions,
  Client,
  type ClientSettings,
  type ServedFile,
} from './client.ts';
export { ClientError, type ClientErrorKind } from './errors.ts';
export { type LiveSettings, openLive } from './live.ts';
export { type McpMessage, McpRelay, type McpRelaySettings } from './mcp-relay.ts';

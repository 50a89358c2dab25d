// The wire: schemas of every request, response and frame, and the catalogues of errors, metrics and settings.

export { briefEntries, conflictText, pathText, readText, type StaleReadAnswer } from './answer-words.ts';
export {
  configurationCatalogue,
  type DaemonSetting,
  type DaemonSettingName,
  daemonSettings,
  type PolicySetting,
  type PolicySettingName,
  policySettings,
} from './configuration-catalogue.ts';
export {
  type Authorization,
  commonErrors,
  type Endpoint,
  type EndpointName,
  endpoints,
  type ParsedRequestOf,
  type QueryOf,
  type RawBody,
  type RequestOf,
  type ResponseOf,
} from './endpoints.ts';
export { type ErrorCode, type ErrorEntry, type ErrorFacts, errorCatalogue } from './error-catalogue.ts';
export { nameField } from './fields.ts';
export { type GitAddress, type GitCredentials, readGitAddress } from './git-address.ts';
export { wireLimits } from './limits.ts';
export {
  type AnswerFrame,
  answerFrame,
  type CallFrame,
  callFrame,
  closeCodes,
  type FrameCall,
  frameCalls,
  type LiveFrame,
  type LiveFrameType,
  liveFrame,
  plannedFrameTypes,
} from './live.ts';
export type {
  LandingListResponse,
  LandingResponse,
  LandingRowResponse,
  PreservedListResponse,
  TreeResponse,
  WhyResponse,
} from './looking-responses.ts';
export {
  type McpTool,
  type McpToolName,
  mcpTools,
  type PublishedSchema,
  publishedSchemas,
  type ToolAnnotations,
  type ToolInput,
  type ToolOutput,
  type ToolWrite,
  toolError,
} from './mcp-tools.ts';
export { type MetricEntry, type MetricName, metricCatalogue } from './metric-catalogue.ts';
export {
  decidePolicySchema,
  type PolicyRequest,
  policySchema,
  type ResolvedPolicy,
  resolvedPolicySchema,
  unsupportedDecide,
  unsupportedPolicyField,
} from './policy.ts';
export {
  type AgentResponse,
  type BriefResponse,
  type ColonyResponse,
  type ErrorResponse,
  errorBody,
  type HeartbeatResponse,
  type IntentResponse,
  type Notice,
  type ProposalStatusResponse,
  proposalStatus,
  type TakeGrantedResponse,
  type TakeResponse,
  type TakeWaitResponse,
  takeAnswer,
} from './responses.ts';
export type {
  CompleteRequest,
  FailRequest,
  HeartbeatRequest,
  ProposeRequest,
  ReadRequest,
  ReleaseRequest,
  RepairRequest,
  TakeRequest,
  WriteRequest,
} from './work-requests.ts';

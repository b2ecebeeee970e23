export { presentSession, type PresentedFrame, type PresentSessionDeps } from './present-session.ts'
export { serveAcp } from './serve-acp.ts'
export {
  DEFAULT_LIMITS,
  type AcpConnection,
  type AcpConnectionOptions,
  type AcpDeps,
  type AcpLimits,
  type AcpProfile,
  type AcpResume,
  type AcpRights,
  type GivenMcpServer,
  type NamedValue,
  type ProviderResolver,
  type SessionServers,
} from './deps.ts'
export type { EditorRegistry } from './editor/editor-registry.ts'
export { parseHandshake } from './parse-handshake.ts'

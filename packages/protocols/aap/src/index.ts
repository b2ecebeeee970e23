export { createAapRoutes } from './routes.ts'
export { presentSession, type PresentedEvent } from './present-session.ts'
export type { AapDeps, AapLimits, Caller, StreamWatch } from './deps.ts'
export type { AapVersion } from './wire.ts'

export { createAapRoutes } from './routes.ts'
export type { AapDeps, AapLimits, Caller, StreamWatch } from './deps.ts'
export type { AapVersion } from './wire.ts'

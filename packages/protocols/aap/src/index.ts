export { createAapRoutes } from './routes.ts'
export type { AapDeps, AapLimits, Caller } from './deps.ts'
export type { AapVersion } from './wire.ts'

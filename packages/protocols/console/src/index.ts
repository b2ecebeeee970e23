export { createConsoleRoutes } from './routes/create-console-routes.ts'
export { createOwnerRoutes, type OwnerDeps } from './routes/create-owner-routes.ts'
export type {
  AuthOutcome,
  BacktestQuery,
  Caller,
  ConsoleDeps,
  Doors,
  Keys,
  OperatorPermissions,
  RequestDeps,
} from './routes/deps.ts'
export { describeOperations, type DescribedOperation } from './describe-operations.ts'
export { operations } from './contract/operations.ts'
export type { ModelCard, ModelList } from './contract/models.ts'
export type { BacktestResult } from './contract/permissions.ts'
export type { McpServer, McpTool, ServerStatus } from './contract/server.ts'

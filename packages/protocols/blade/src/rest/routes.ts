import { Hono } from 'hono'
import { toOpenApi } from '../openapi/to-open-api.ts'
import { answerError, answerOperation, requireCaller, type NodeEnv } from './answer-operation.ts'
import { apiKeyOperations } from './api-key-operations.ts'
import { attachmentOperations } from './attachment-operations.ts'
import type { BladeRestDeps } from './deps.ts'
import { memoryOperations } from './memory-operations.ts'
import { messageOperations } from './message-operations.ts'
import type { Operation } from './operation.ts'
import { Refusal } from './refusal.ts'
import { scheduledTaskOperations } from './scheduled-task-operations.ts'
import { serverOperations } from './server-operations.ts'
import { sessionOperations } from './session-operations.ts'
import { findUnbuilt } from './unbuilt-paths.ts'

/**
 * The REST part of the door and its documentation. Mount it at `/` after all other routes: it answers everything below
 * `/api` that no other route has answered.
 */
export function createBladeRoutes(deps: BladeRestDeps): Hono<NodeEnv> {
  const app = new Hono<NodeEnv>()
  const operations = listOperations(deps)
  for (const operation of operations) {
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'path' ? ':path{.+}' : `:${name}`))
    app.on(operation.method, [path, `${path}/`], answerOperation(operation, deps))
  }
  addDocumentation(app, operations, deps)
  const isForeign = (path: string): boolean => deps.foreignPaths.some((prefix) => `${path}/`.startsWith(`${prefix}/`))
  app.all('/api/*', async (c, next) => {
    if (isForeign(c.req.path)) return next()
    try {
      const unbuilt = findUnbuilt(c.req.method, c.req.path)
      if (unbuilt?.isOpen !== true) await requireCaller(c, deps)
      if (unbuilt !== undefined) throw new Refusal(501, 'This server does not have this operation.')
      throw new Refusal(404, 'There is no such path.')
    } catch (error) {
      return answerError(c, error, deps)
    }
  })
  return app
}

/** When a path matches two routes, the one without a parameter wins. */
export function listOperations(deps: BladeRestDeps): readonly Operation[] {
  return [
    ...serverOperations(deps),
    ...sessionOperations(deps),
    ...messageOperations(deps),
    ...attachmentOperations(deps),
    ...memoryOperations(deps),
    ...apiKeyOperations(deps),
    ...scheduledTaskOperations(deps),
  ]
}

/** Created on first use. */
function addDocumentation(
  app: Hono<NodeEnv>,
  operations: readonly Operation[],
  { version, otherOperations = () => [] }: BladeRestDeps,
): void {
  let document: ReturnType<typeof toOpenApi> | undefined
  const own = operations.map((operation) => ({ ...operation, tag: `Blade: ${operation.tag}` }))
  const read = () => (document ??= toOpenApi([...own, ...otherOperations()], version))
  app.get('/openapi.json', (c) => c.json(read()))
}

import { addUpTrees, type UsageQuery, type UsageStore } from '@polylogue/engine'
import { Hono } from 'hono'
import type { Authenticate } from '../auth/authenticate.ts'
import { HttpRefusal } from '../http/http-refusal.ts'
import { requireCaller, type CallerEnv } from '../http/require-caller.ts'
import { toAmounts, toUsageJson, usageQuery } from './usage-json.ts'

export interface UsageRoutesDeps {
  readonly usage: Pick<UsageStore, 'sumUsage'>
  readonly authenticate: Authenticate
}

/** Everybody sees what they have spent; through the owner socket, what all users have. */
export function createUsageRoutes({ usage, authenticate }: UsageRoutesDeps): Hono<CallerEnv> {
  const routes = new Hono<CallerEnv>()
  routes.use(requireCaller(authenticate))

  routes.get('/', async (c) => {
    const parsed = usageQuery.safeParse(c.req.query())
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      throw new HttpRefusal(400, `${issue?.path[0]?.toString() ?? 'query'}: ${issue?.message ?? 'is wrong'}`)
    }
    const { via, userId } = c.var.caller
    const { user, key, session, turn, from, until, by, limit } = parsed.data
    const whose = via === 'owner-socket' ? user : userId
    const asked: Omit<UsageQuery, 'by' | 'limit'> = {
      ...(whose !== undefined && { userId: whose }),
      ...(key !== undefined && { keyId: key }),
      ...(session !== undefined && { sessionId: session }),
      ...(turn !== undefined && { turnId: turn }),
      ...(from !== undefined && { from }),
      ...(until !== undefined && { until }),
    }
    const sums = await usage.sumUsage({ ...asked, by, limit })
    const [total] = await usage.sumUsage({ ...asked, by: [], limit: 1 })
    const trees = new Map(by.join() === 'loop' ? addUpTrees(sums).map((tree) => [tree.own, tree.withChildren]) : [])
    return c.json({
      rows: sums.map((sum) => {
        const tree = trees.get(sum)
        return { ...toUsageJson(sum), ...(tree && { withSubAgents: toAmounts(tree) }) }
      }),
      ...(total && { total: toAmounts(total) }),
    })
  })
  return routes
}

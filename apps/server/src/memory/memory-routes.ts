import { MEMORY_LIMITS, unreachable, type AddedMemory, type Memory, type MemoryStore } from '@polylogue/engine'
import { Hono } from 'hono'
import type { Authenticate } from '../auth/authenticate.ts'
import { HttpRefusal } from '../http/http-refusal.ts'
import { readJsonBody } from '../http/read-json-body.ts'
import { requireCaller, type CallerEnv } from '../http/require-caller.ts'
import { batchJson, changesJson, listQuery, memoryId, newMemoryJson, toMemoryJson } from './memory-json.ts'

export interface MemoryRoutesDeps {
  readonly memories: MemoryStore
  readonly authenticate: Authenticate
}

/** Everybody has their own memories. */
export function createMemoryRoutes({ memories, authenticate }: MemoryRoutesDeps): Hono<CallerEnv> {
  const routes = new Hono<CallerEnv>()
  routes.use(requireCaller(authenticate))

  routes.get('/', async (c) => {
    const query = listQuery.safeParse(c.req.query())
    if (!query.success) {
      const [issue] = query.error.issues
      throw new HttpRefusal(400, `${issue?.path.join('.') ?? 'query'}: ${issue?.message ?? 'is wrong'}`)
    }
    const page = await memories.listMemories(c.var.caller.userId, query.data)
    return c.json({ memories: page.memories.map(toMemoryJson), total: page.total })
  })

  routes.post('/', async (c) => {
    const body = await readJsonBody(c, newMemoryJson)
    const added = await memories.addMemory(c.var.caller.userId, body)
    return c.json(toMemoryJson(addedIn(added)), 201)
  })

  routes.post('/batch', async (c) => {
    const { userId } = c.var.caller
    const { action, ids } = await readJsonBody(c, batchJson)
    if (action === 'delete') return c.json({ count: await memories.removeMemories(userId, ids) })
    const changed = await memories.changeMemories(userId, ids, { isDisabled: action === 'disable' })
    return c.json({ count: changed.length })
  })

  routes.get('/:id', async (c) => {
    const memory = await memories.findMemory(c.var.caller.userId, idIn(c.req.param('id')))
    return c.json(toMemoryJson(memory ?? refuseUnknown()))
  })

  routes.patch('/:id', async (c) => {
    const id = idIn(c.req.param('id'))
    const changes = await readJsonBody(c, changesJson)
    const [memory] = await memories.changeMemories(c.var.caller.userId, [id], changes)
    return c.json(toMemoryJson(memory ?? refuseUnknown()))
  })

  routes.delete('/:id', async (c) => {
    if ((await memories.removeMemories(c.var.caller.userId, [idIn(c.req.param('id'))])) === 0) refuseUnknown()
    return c.body(null, 204)
  })
  return routes
}

function idIn(text: string): number {
  const id = memoryId.safeParse(text)
  return id.success ? id.data : refuseUnknown()
}

function refuseUnknown(): never {
  throw new HttpRefusal(404, 'No such memory.')
}

function addedIn(added: AddedMemory): Memory {
  if (added.type !== 'refused') return added.memory
  switch (added.reason) {
    case 'full':
      throw new HttpRefusal(400, `${MEMORY_LIMITS.perUser} memories at most for each user.`)
    case 'unknown-memory':
      throw new HttpRefusal(400, 'supersedes: no such memory.')
    case 'superseded':
      throw new HttpRefusal(400, `supersedes: was corrected before, by memory ${added.by}.`)
    default:
      return unreachable(added)
  }
}

import { createHash } from 'node:crypto'
import type { Client } from '@modelcontextprotocol/client'
import { createFakeClock } from '@polylogue/testkit'
import { setImmediate as giveWay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { describeProblem } from './describe-problem.ts'
import { createToolList } from './tool-list.ts'

const digest = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')
const never = new AbortController().signal

/** A server whose list is what `page` makes at each request. */
function listOf(page: (request: number) => { tools: unknown[]; nextCursor?: string }) {
  const clock = createFakeClock()
  const warnings: unknown[] = []
  let requests = 0
  const changed: (() => void)[] = []
  const nextChange = () => new Promise<void>((resolve) => void changed.push(resolve))
  // Of the SDK's client, only what reading a list takes.
  const client = {
    getServerCapabilities: () => ({ tools: {} }),
    request: () => Promise.resolve(page((requests += 1))),
  } as unknown as Client
  const list = createToolList({
    clock,
    digest,
    signal: never,
    client: () => client,
    warn: (problem) => warnings.push(problem),
    onChange: () => changed.shift()?.(),
  })
  return { clock, list, client, warnings, nextChange, requests: () => requests }
}

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } })

describe('the list of tools', () => {
  it('gives way to others between two tools, because their schemas may be large', async () => {
    const { list, client } = listOf(() => ({ tools: Array.from({ length: 50 }, (_, index) => tool(`t${index}`)) }))
    let turns = 0
    let isRead = false
    const count = (): void => {
      turns += 1
      if (!isRead) setImmediate(count)
    }
    setImmediate(count)
    await list.read(client, never)
    isRead = true
    expect(turns).toBeGreaterThanOrEqual(50)
  })

  it('is read again ever less often when it changes all the time', async () => {
    const { clock, list, requests } = listOf(() => ({ tools: [] }))
    for (let ms = 0; ms < 60_000; ms += 250) {
      list.refresh()
      await giveWay()
      clock.advance(250)
      await giveWay()
    }
    expect(requests()).toBeGreaterThan(4)
    expect(requests()).toBeLessThan(15)
  })

  it('is read again soon when it changes once', async () => {
    const { list, client, nextChange, requests } = listOf((request) => ({ tools: request === 1 ? [] : [tool('new')] }))
    await list.read(client, never)
    const change = nextChange()
    list.refresh()
    await change
    expect(list.definitions().map(({ name }) => name)).toEqual(['new'])
    expect(requests()).toBe(2)
  })

  it('reports omissions once, not for every item', async () => {
    const { list, client, warnings } = listOf(() => ({ tools: [tool('good'), ...Array<number>(5000).fill(7)] }))
    await list.read(client, never)
    await list.read(client, never)
    expect(list.definitions().map(({ name }) => name)).toEqual(['good'])
    expect(warnings).toHaveLength(20)
  })

  it('has a bounded number of tools', async () => {
    const { list, client, warnings } = listOf(() => ({ tools: Array.from({ length: 300 }, (_, n) => tool(`t${n}`)) }))
    await list.read(client, never)
    expect(list.definitions()).toHaveLength(256)
    expect(warnings).toEqual(['it has more than 256 tools: the others are left out'])
  })
})

describe('the description of a problem', () => {
  it('repeats no secret of the configuration', () => {
    const headers = { Authorization: 'Bearer abcdef' }
    const reach = { type: 'http', url: 'https://user:pass-word@x.example/mcp?key=query-key', headers } as const
    const server = { name: 'x', reach, trusted: false, deadlineMs: 1 }
    const said = new Error('GET https://user:pass-word@x.example/mcp?key=query-key with Bearer abcdef\nfailed')
    expect(describeProblem(said, server)).toBe('GET https://user:***@x.example/mcp?key=*** with *** failed')
  })
})

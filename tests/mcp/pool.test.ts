import { createFakeClock, type FakeClock } from '@polylogue/testkit'
import type { McpHold } from '@polylogue/tools'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { findProcesses, processesNaming } from '../tools/processes.ts'
import { callTool, createMcpWorld, type McpWorld, problemOf } from './mcp-world.ts'

const worlds: McpWorld[] = []
const enter = async (clock?: FakeClock): Promise<McpWorld> => {
  const world = await createMcpWorld(clock)
  worlds.push(world)
  return world
}
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.end()
})

const stateOf = (held: McpHold) => held.health()[0]?.state
const untilState = (held: McpHold, state: string) =>
  eventually(() => Promise.resolve(stateOf(held) === state ? true : undefined), `it is ${state}`)
const pidsOf = async ({ marker }: McpWorld) => (await findProcesses(marker)).map(({ pid }) => pid)

describe('a pool', () => {
  it('returns at once, and has the tools when the server is ready', async () => {
    const world = await enter()
    const held = world.pool.hold([world.misbehaving('well')])
    expect(held.tools()).toEqual([])
    expect(stateOf(held)).toBe('connecting')
    await held.settled()
    expect(held.tools()).toMatchObject([
      {
        name: 'mcp_bad_echo',
        description: '[From the MCP server bad] Says it again.',
        effect: 'unsafe',
        exposed: true,
        nature: 'plain',
      },
    ])
    expect(held.tools()).toBe(held.tools())
    expect(held.health()).toMatchObject([{ name: 'bad', state: 'ready', tools: 1 }])
  })

  it('shares a server among its holders, and ends it with the last of them', async () => {
    const world = await enter()
    const holds = Array.from({ length: 5 }, () => world.pool.hold([world.misbehaving('well')]))
    await Promise.all(holds.map((held) => held.settled()))
    expect(await pidsOf(world)).toHaveLength(1)
    const [last, ...others] = holds
    await Promise.all([...others, ...others].map((held) => held.release()))
    expect(await pidsOf(world)).toHaveLength(1)
    expect(world.pool.health()).toHaveLength(1)
    await last?.release()
    expect(await pidsOf(world)).toEqual([])
    expect(world.pool.health()).toEqual([])
  })

  it('shares nothing between scopes, or between configurations that differ', async () => {
    const world = await enter()
    const server = world.misbehaving('well')
    const holds = [
      world.pool.hold([server], { scope: 'session-1' }),
      world.pool.hold([server], { scope: 'session-2' }),
      world.pool.hold([server]),
      world.pool.hold([{ ...server, trusted: true }]),
    ]
    await Promise.all(holds.map((held) => held.settled()))
    expect(await pidsOf(world)).toHaveLength(4)
  })

  it('can be left while a server is still starting', async () => {
    const world = await enter()
    const held = world.pool.hold([world.misbehaving('silent-initialize')])
    await held.release()
    const waiting = world.pool.hold([world.misbehaving('silent-initialize')])
    await processesNaming(world.marker, { atLeast: 1 })
    await waiting.release()
    expect(await pidsOf(world)).toEqual([])
    expect(waiting.health()).toMatchObject([{ state: 'closed' }])
  })

  it('accepts no one after it was closed', async () => {
    const world = await enter()
    const held = world.pool.hold([world.misbehaving('well')])
    await held.settled()
    await Promise.all([world.pool.close(), world.pool.close()])
    expect(stateOf(held)).toBe('closed')
    expect(await problemOf(callTool(held, 'mcp_bad_echo', { msg: 'x' }))).toContain('the connection was closed')
    expect(() => world.pool.hold([])).toThrow('the pool is closed')
  })

  it('runs nothing without the grant of exactly this call', async () => {
    const world = await enter()
    const held = world.pool.hold([world.misbehaving('well')])
    await held.settled()
    const [tool] = held.tools()
    const forged = { callHash: 'x', call: { tool: 'mcp_bad_echo', input: { msg: 'x' }, cwd: '/', policy: 'p' } }
    const invocation = { input: { msg: 'x' }, grant: forged } as unknown as Parameters<
      NonNullable<typeof tool>['run']
    >[0]
    expect(await problemOf(tool?.run(invocation) ?? Promise.resolve())).toBe('no grant was issued for this call')
  })
})

describe('a server that goes away', () => {
  it('keeps its tools, is tried again later and later, and comes back', async () => {
    const clock = createFakeClock()
    const world = await enter(clock)
    const held = world.pool.hold([world.misbehaving('well')])
    await held.settled()
    for (const waitMs of [1000, 2000]) {
      const [pid] = await pidsOf(world)
      process.kill(Number(pid), 'SIGKILL')
      await untilState(held, 'failed')
      expect(held.health()[0]?.lastError).toBe('it was ended by SIGKILL')
      expect(held.tools()).toHaveLength(1)
      clock.advance(waitMs - 1)
      expect(stateOf(held)).toBe('failed')
      clock.advance(1)
      expect(stateOf(held)).toBe('connecting')
      await untilState(held, 'ready')
    }
    expect(await callTool(held, 'mcp_bad_echo', { msg: 'back' })).toEqual({ content: 'back' })
  })

  it('is started once for all calls that want it back', async () => {
    const world = await enter(createFakeClock())
    const held = world.pool.hold([world.misbehaving('well')])
    await held.settled()
    const [pid] = await pidsOf(world)
    process.kill(Number(pid), 'SIGKILL')
    await untilState(held, 'failed')
    const calls = Array.from({ length: 20 }, (_, n) => callTool(held, 'mcp_bad_echo', { msg: `${n}` }))
    const answers = await Promise.all(calls)
    expect(answers.map(({ content }) => content)).toEqual(answers.map((_, n) => `${n}`))
    expect(await pidsOf(world)).toHaveLength(1)
  })

  it('that never gets ready is given up, and its process with it', async () => {
    const clock = createFakeClock()
    const world = await enter(clock)
    for (const fault of ['silent-initialize', 'silent-list']) {
      const held = world.pool.hold([world.misbehaving(fault)])
      await processesNaming(world.marker, { atLeast: 1 })
      clock.advance(20_000)
      await held.settled()
      expect(held.health()).toMatchObject([{ state: 'failed', lastError: 'it did not get ready within 20 s' }])
      await eventually(async () => ((await pidsOf(world)).length === 0 ? true : undefined), 'its process is gone')
      await held.release()
    }
  })

  it('without a word is found out when it is idle', async () => {
    const clock = createFakeClock()
    const world = await enter(clock)
    const held = world.pool.hold([world.misbehaving('well')])
    await held.settled()
    const [pid] = await pidsOf(world)
    process.kill(Number(pid), 'SIGSTOP')
    clock.advance(30_000)
    clock.advance(10_000)
    await untilState(held, 'failed')
    expect(held.health()[0]?.lastError).toBe('it no longer answers')
    expect(await callTool(held, 'mcp_bad_echo', { msg: 'back' })).toEqual({ content: 'back' })
  })
})

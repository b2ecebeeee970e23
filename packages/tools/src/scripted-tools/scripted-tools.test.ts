import type { JsonObject, Tool, ToolOutput } from '@polylogue/engine'
import { createFakeClock, createInvocation } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { createScriptedTools } from './scripted-tools.ts'

function setUp() {
  const clock = createFakeClock()
  const tools = createScriptedTools({ clock })
  const find = (name: string): Tool => {
    const tool = tools.find((candidate) => candidate.name === name)
    if (!tool) throw new Error(`no tool ${name}`)
    return tool
  }
  const run = (name: string, input: JsonObject, signal = new AbortController().signal): Promise<ToolOutput> => {
    return find(name).run(createInvocation(find(name), input, { signal }))
  }
  return { clock, tools, run, find }
}

describe('the scripted tools', () => {
  it('are four readonly ones, of which clients see three', () => {
    const { tools } = setUp()
    expect(tools.map(({ name, effect, exposed }) => ({ name, effect, exposed }))).toEqual([
      { name: 'echo', effect: 'readonly', exposed: true },
      { name: 'boom', effect: 'readonly', exposed: true },
      { name: 'slow', effect: 'readonly', exposed: true },
      { name: 'hidden', effect: 'readonly', exposed: false },
    ])
  })

  it.each(['echo', 'hidden'])('%s returns msg unchanged', async (name) => {
    const { run, find } = setUp()
    expect(await run(name, { msg: 'a "b"' })).toEqual({ content: 'a "b"' })
    expect(find(name).check({ msg: 1 })).toEqual({ ok: false, problem: 'msg: must be a string' })
  })

  it('boom throws', async () => {
    await expect(setUp().run('boom', {})).rejects.toThrow('boom')
  })

  it('slow waits by the clock', async () => {
    const { run, clock } = setUp()
    const waiting = run('slow', { ms: 5000 })
    expect(clock.pendingTimers()).toBe(1)
    clock.advance(5000)
    expect(await waiting).toEqual({ content: 'waited 5000 ms' })
  })

  it('slow ends at once when it is cancelled, before or while it waits', async () => {
    const { run, clock } = setUp()
    const abort = new AbortController()
    const waiting = run('slow', { ms: 5000 }, abort.signal)
    abort.abort()
    await expect(waiting).rejects.toThrow('cancelled')
    expect(clock.pendingTimers()).toBe(0)
    await expect(run('slow', { ms: 5000 }, abort.signal)).rejects.toThrow('cancelled')
    expect(clock.pendingTimers()).toBe(0)
  })

  it('slow takes no negative or endless time', () => {
    const { find } = setUp()
    expect(find('slow').check({ ms: -1 }).ok).toBe(false)
    expect(find('slow').check({ ms: 1e12 }).ok).toBe(false)
  })
})

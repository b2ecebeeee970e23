import { describe, expect, it } from 'vitest'
import { calls, createFakeTool, finishes, startSession } from '@polylogue/testkit'
import type { Tool } from '../index.ts'

/** A tool of an MCP server that can change what it says of itself. */
async function startTrusting() {
  let definition = 'first'
  const tool: Tool = Object.defineProperty({ ...createFakeTool('mcp_pay', { effect: 'unsafe' }) }, 'definition', {
    get: () => definition,
    enumerable: true,
  })
  const test = await startSession({ tools: [tool] })
  const pay = async (id: string, more: Parameters<typeof test.say>[1] = {}) => {
    test.model.push([calls(id, 'mcp_pay'), finishes('tool-calls')])
    await test.say('pay', more)
    await test.untilRest()
    return (await test.view()).status
  }
  return { test, pay, change: (next: string) => void (definition = next) }
}

const TRUSTED = { changes: { access: { type: 'listed', tools: [{ name: 'mcp_pay', trust: true }] } } } as const

describe('trust in a tool of an MCP server', () => {
  it('holds while the tool is the same', async () => {
    const { pay } = await startTrusting()
    expect([await pay('a'), await pay('b', TRUSTED)]).toEqual(['idle', 'idle'])
  })

  it('ends when the tool changes, also if the client names it again', async () => {
    const { test, pay, change } = await startTrusting()
    await pay('a')
    change('second')
    expect(await pay('b')).toBe('waiting')
    expect(await pay('c', TRUSTED)).toBe('waiting')
    expect(test.logged).toEqual([])
  })

  it('returns when the tool matches the trusted one again', async () => {
    const { pay, change } = await startTrusting()
    change('second')
    expect(await pay('a')).toBe('waiting')
    change('first')
    expect(await pay('b')).toBe('idle')
  })

  it('is recorded with the definition that it is for', async () => {
    const { test } = await startTrusting()
    expect((await test.events())[0]).toMatchObject({
      settings: { access: { tools: [{ name: 'mcp_pay', trust: true, definition: 'first' }] } },
    })
  })
})

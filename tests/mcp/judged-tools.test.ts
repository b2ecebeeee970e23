import { calls, finishes, grant, says, startSession } from '@polylogue/testkit'
import { textOf, type Tool } from '@polylogue/engine'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createMcpWorld, type McpWorld } from './mcp-world.ts'

let world: McpWorld
beforeEach(async () => {
  world = await createMcpWorld()
})
afterEach(() => world.end())

/** A session whose agent has a server's tools, as they are at each moment. */
async function startWith(fault: string, trusted = false) {
  const held = world.pool.hold([world.misbehaving(fault, { trusted })])
  const tools: Tool[] = []
  world.pool.onChange(() => void tools.splice(0, tools.length, ...held.tools()))
  await held.settled()
  const test = await startSession({ tools }, { access: { type: 'preset' }, preset: 'workspace-write' })
  const results = async () =>
    (await test.events()).flatMap((event) =>
      event.type === 'tool-call.settled' ? [`${event.status}: ${textOf(event.output)}`] : [],
    )
  return { ...test, results }
}

it('a tool of an untrusted server needs approval, and runs when allowed', async () => {
  const test = await startWith('well')
  test.model.push([calls('a', 'mcp_bad_echo', { msg: 'hello' }), finishes('tool-calls')], [says('done'), finishes()])
  await test.say('go')
  await test.untilRest()
  expect((await test.view()).waitingCalls).toEqual(['a'])
  expect(await test.results()).toEqual([])
  await test.answer(grant('a'))
  await test.untilRest()
  expect(await test.results()).toEqual(['completed: hello'])
})

it('a crash in the middle of a call is what the model reads, and the turn continues', async () => {
  const test = await startWith('exit-in-call')
  test.model.push([calls('a', 'mcp_bad_echo', { msg: 'x' }), finishes('tool-calls')], [says('done'), finishes()])
  await test.say('go')
  await test.untilRest()
  await test.answer(grant('a'))
  await test.untilRest()
  const [result] = await test.results()
  expect(result).toMatch(/^failed: .*it ended with exit code 5.*Whether the call had an effect is unknown\./)
  expect((await test.events()).at(-1)).toMatchObject({ type: 'turn.ended' })
})

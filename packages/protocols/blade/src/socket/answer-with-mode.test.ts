import { finishes } from '@polylogue/testkit'
import { expect, it } from 'vitest'
import { asks, createAskTool } from '../test-support/ask-tool.ts'
import { findBreaches } from '../test-support/find-breaches.ts'
import { openTestDoor } from '../test-support/open-test-door.ts'

it('blade 109: an answer in another mode begins its run, and then reports the mode', async () => {
  const door = await openTestDoor({ tools: [createAskTool()] })
  door.model.push([asks('q'), finishes('tool-calls')])
  const sessionId = await door.session()
  const client = await door.client({ isLean: false })
  await client.say(sessionId, 'go')
  await client.until('session:updated')
  const before = client.told.length
  const askuser_answer = { tool_call_id: 'q', selections: { '0': [1] }, custom: {} }
  await client.send(sessionId, '', { askuser_answer, mode: 'planning' })
  await client.until('chat:end', 2)
  expect(client.story().slice(before, before + 4)).toEqual([
    'chat:start',
    'turn:start system completed',
    'turn:end system completed',
    'turn:start user completed',
  ])
  expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
})

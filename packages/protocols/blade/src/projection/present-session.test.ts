import { calls, createFakeParts, createFakeTool, finishes, says, untilQuiet } from '@polylogue/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { SessionFold } from '../fold/session-fold.ts'
import { openDoor } from '../test-support/open-door.ts'
import { plainDescribe } from '../test-support/watch-session.ts'
import type { BladeOutput } from '../wire.ts'
import { presentSession, type PresentedEvent } from './present-session.ts'

it('shows a log as a lean subscriber gets it: folded, it is the history', async () => {
  const door = await openDoor(createFakeParts(), { tools: [createFakeTool('look')] })
  onTestFinished(() => door.close())
  door.model.push(
    [says('I '), says('look'), calls('c1', 'look', { a: 1 }), finishes('tool-calls')],
    [says('done'), finishes()],
  )
  const sessionId = await door.session()
  const client = await door.client()
  await client.say(sessionId, 'go')
  await untilQuiet()

  const presentation = presentSession(plainDescribe)
  const shown: PresentedEvent[] = []
  for (const recorded of await door.store.readEvents(sessionId, 0, 1_000))
    shown.push(...presentation.recorded(recorded))
  shown.push(...presentation.settle())
  const fold = new SessionFold(sessionId)
  for (const { name, body } of shown) fold.apply({ event: name, payload: body } as BladeOutput)
  expect(fold.turns).toEqual(await door.messages(sessionId))
})

it('lists its clients, each with the sessions that it is subscribed to', async () => {
  const door = await openDoor(createFakeParts())
  onTestFinished(() => door.close())
  expect(door.blade.clients()).toEqual([])
  const client = await door.client()
  const since = door.clock.now()
  expect(door.blade.clients()).toEqual([{ userId: 'ann', keyId: 'ann', since }])
  const sessionId = await door.session()
  await client.subscribe(sessionId)
  expect(door.blade.clients()).toEqual([{ userId: 'ann', keyId: 'ann', since, sessionId, cursor: 1 }])
  client.close()
  await expect.poll(() => door.blade.clients()).toEqual([])
})

import { writeHandshake } from '@polylogue/acp/light'
import { asSessionId } from '@polylogue/engine'
import { io } from 'socket.io-client'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { LOCAL_USER } from '../auth/key-ring.ts'
import { createSession, startTurn } from '../test-support/aap.ts'
import { startWithDoors } from '../test-support/start-with-doors.ts'
import { listClients } from './doors.ts'

it('lists attached clients of every door', async () => {
  const { url, localKey, doors, openPipe } = await startWithDoors()
  expect(listClients(doors)).toEqual([])
  const sessionId = await createSession(url, localKey)
  const turn = await startTurn(url, localKey, { sessionId, script: 'sleep 60000' })
  await openPipe('acp', writeHandshake({ profile: 'standard', agent: 'scripted' }))
  const socket = io(url, { auth: { token: localKey }, transports: ['websocket'], forceNew: true })
  onTestFinished(() => void socket.close())
  await new Promise<void>((resolve) => socket.on('connect', resolve))
  const since: unknown = expect.any(Number)
  const keyId: unknown = expect.any(String)
  expect(listClients(doors)).toMatchObject([
    { door: 'aap/v3', userId: LOCAL_USER, keyId, sessionId, since },
    { door: 'acp', userId: LOCAL_USER, since },
    { door: 'blade', userId: LOCAL_USER, keyId, since },
  ])
  turn.destroy()
  socket.close()
  await expect.poll(() => listClients(doors).map(({ door }) => door)).toEqual(['acp'])
})

it('every door shows a recorded log in its own messages', async () => {
  const { url, localKey, doors, parts } = await startWithDoors()
  const sessionId = asSessionId(await createSession(url, localKey))
  await text(await startTurn(url, localKey, { sessionId, script: 'say Hello' }))
  const log = await parts.events.readEvents(sessionId, 0, 1_000)
  const shown: Record<string, string> = {}
  for (const { name, present } of doors) {
    const presentation = present?.({ userId: LOCAL_USER, sessionId })
    if (presentation === undefined) continue
    const messages = []
    for (const recorded of log) messages.push(...(await presentation.recorded(recorded)))
    messages.push(...presentation.settle())
    shown[name] = JSON.stringify(messages)
  }
  expect(Object.keys(shown)).toEqual(['aap/v3', 'aap/v1', 'acp', 'blade'])
  for (const messages of Object.values(shown)) expect(messages).toContain('Hello')
})

import { afterEach, expect } from 'vitest'
import { openDoor, type Door, type DoorOptions, type DoorParts, type SendOptions } from './open-door.ts'

/** One rig for the tests of a file. Closes the door after each test. */
export function usingDoor<Parts extends DoorParts>(createParts: () => Parts) {
  let opened: Door<Parts> | undefined
  afterEach(async () => {
    await opened?.close()
    opened = undefined
  })
  const door = (): Door<Parts> => {
    if (opened === undefined) throw new Error('no door is open')
    return opened
  }
  return {
    get door() {
      return door()
    },
    /** Opens a door and creates a session. Returns the session's path. */
    async open(options: DoorOptions = {}, create: object = {}): Promise<string> {
      const now = await openDoor(createParts(), options)
      opened = now
      const created = await now.send('POST', '/v3/sessions', { body: { agent: { name: 'tester' }, ...create } })
      expect(created.status).toBe(201)
      return `/v3/sessions/${(await created.json()).sessionId}`
    },
    async turn(session: string, body: object) {
      return (await door().send('POST', `${session}/turns`, { body })).json()
    },
    async streamed(session: string, body: object) {
      const reply = await door().send('POST', `${session}/turns`, { body })
      expect(reply.headers['content-type']).toBe('text/event-stream')
      return reply.frames()
    },
    /** Plays a text as a stream of deltas. */
    play: (session: string, content: string, headers?: Record<string, string>) =>
      door().send('POST', `${session}/turns`, { body: { messages: user(content), stream: 'delta' }, headers }),
    async refusal(method: string, path: string, sent: SendOptions = {}) {
      const reply = await door().send(method, path, sent)
      const { error } = await reply.json()
      return `${reply.status} ${error}`
    },
  }
}

export const user = (content: unknown) => [{ role: 'user', content }]

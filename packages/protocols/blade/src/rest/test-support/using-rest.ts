import { afterEach, expect } from 'vitest'
import { openRest, type Rest, type RestOptions } from './open-rest.ts'

/** The session routes, opened by each test with `open` and closed after it. */
export function usingRest() {
  let rest: Rest
  afterEach(() => rest.close())

  return {
    get rest(): Rest {
      return rest
    },

    async open(options: RestOptions = {}): Promise<void> {
      rest = await openRest(options)
    },

    async create(body: object = {}, key = 'ann'): Promise<string> {
      const answer = await rest.send('POST', '/api/sessions', { body, key })
      expect(answer.status).toBe(200)
      return answer.body.session_id
    },

    async read(id: string, key = 'ann') {
      return (await rest.send('GET', `/api/sessions/${id}`, { key })).body
    },

    async list(query = '', key = 'ann') {
      return (await rest.send('GET', `/api/sessions${query}`, { key })).body
    },

    async run(id: string, text: string): Promise<void> {
      const { turnId } = await rest.say(id, text)
      await rest.untilRecorded(id, ({ event }) => event.type === 'turn.ended' && event.turnId === turnId)
    },
  }
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DIALECTS } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import type { HistoryMessage } from '../support/aap-wire.ts'
import { shownToolNames } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** A question, an answer that thinks and calls, a result, an answer: as our own histories have them. */
const exchange = (index: number): HistoryMessage[] => [
  { role: 'user', content: [{ type: 'text', text: `question ${index}` }] },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'let me look' },
      { type: 'tool_use', toolCallId: `call-${index}`, name: 'Read', input: { path: `${index}.txt`, from: 1, to: 20 } },
    ],
  },
  { role: 'tool', toolCallId: `call-${index}`, content: [{ type: 'text', text: `line ${index}` }] },
  { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
]

describe.each(DIALECTS)('large requests at $base', (dialect) => {
  const { mark } = dialect
  const client = () => server.client(dialect)

  it(`aap 21${mark}: a history of the server, of 1,920 messages and more, is a seed for another session`, async () => {
    const long: HistoryMessage[] = [
      { role: 'user', content: 'read it' },
      { role: 'assistant', content: [{ type: 'tool_use', toolCallId: 'large', name: 'Read', input: { path: 'a' } }] },
      { role: 'tool', toolCallId: 'large', content: 'x'.repeat(3 * 1024 * 1024) },
    ]
    const seed = [...Array.from({ length: 480 }, (_, index) => exchange(index)).flat(), ...long]
    const first = await openSession(client(), { seed })
    const history = await first.history()
    expect(history.length).toBeGreaterThanOrEqual(1_920)
    const second = await openSession(client(), { seed: history })
    expect((await second.history()).slice(0, history.length)).toEqual(history)
  })

  it(`aap 86${mark}: a client may bring 250 tools of 14 properties`, async () => {
    const property = { type: 'string', description: 'What it is for', enum: ['a', 'b'], default: 'a' }
    const properties = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`property${index}`, property]))
    const clientTools = Array.from({ length: 250 }, (_, index) =>
      dialect.tool(`tool${index}`, 'One of many', { type: 'object', properties, required: Object.keys(properties) }),
    )
    const session = await openSession(client(), { clientTools })
    expect(shownToolNames((await session.turn('show tools')).messages)).toContain('tool249')
  })
})

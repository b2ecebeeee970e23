import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AapClient } from '../support/aap-client.ts'
import { DIALECTS } from '../support/aap-dialect.ts'
import type { HistoryMessage } from '../support/aap-wire.ts'
import { NEXT, call, script } from '../support/script.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { type AnswerPending, denyAll, essence, grantAll, openSessionLoop } from './session-loop.ts'

const MODES = ['delta', 'message', 'none'] as const
const QUESTION = { questions: [{ question: 'Which one?', options: [{ label: 'Red' }, { label: 'Blue' }] }] }
const ASK_IN_TEXT = 'The user cannot answer this question here. Ask it in your text instead.'

let dir: TempDir
let server: TestServer
beforeAll(async () => {
  dir = await createTempDir()
  const configFile = join(dir.path, 'budgets.json')
  await writeFile(configFile, JSON.stringify({ budgets: { turn: { steps: 1 } } }))
  server = await startTestServer({ configFile })
})
afterAll(async () => {
  await server.stop()
  await dir.remove()
})

const combinations = DIALECTS.flatMap((dialect) => MODES.map((mode) => ({ base: dialect.base, dialect, mode })))

describe.each(combinations)('every answered call has a result, in $mode at $base', ({ dialect, mode }) => {
  const { mark } = dialect
  const client = (): AapClient => server.client(dialect)
  const clientTools = [dialect.tool('weather', '', {})]
  const tools = [{ name: 'AskUserQuestion' }, { name: 'echo' }, { name: 'Agent', trust: true }]
  const ask = call('q', 'AskUserQuestion', QUESTION)

  /** Answers budget questions with `budget` and the others with `answer`. */
  async function play(input: string, answer: AnswerPending, budget: AnswerPending = grantAll) {
    const loop = await openSessionLoop(client(), mode, { tools, clientTools })
    const stops = await loop.play(input, ({ client: own, server: theirs }) => {
      const isBudget = ({ input: asked }: { readonly input: object }) => JSON.stringify(asked).includes('"Budget"')
      return [
        ...budget({ client: [], server: theirs.filter(isBudget) }),
        ...answer({ client: own, server: theirs.filter((one) => !isBudget(one)) }),
      ]
    })
    expect((await client().history(loop.id, 'full')).map(essence)).toEqual(loop.history.map(essence))
    return { stops, history: loop.history, results: resultsIn(loop.history) }
  }

  it(`aap 110c${mark}: when a question is granted: the model must ask in its text`, async () => {
    const { results, stops } = await play(script(ask), grantAll)
    expect(results).toMatchObject({ q: ASK_IN_TEXT })
    expect(stops.at(-1)).toBe('end_turn')
  })

  it('when a question is denied', async () => {
    expect((await play(script(ask), denyAll)).results).toMatchObject({ q: 'Tool call denied' })
  })

  it('when a budget question is granted, and when it is denied', async () => {
    const work = script(call('e', 'hidden', { msg: 'x' }), NEXT, 'say done')
    const granted = await play(work, grantAll)
    expect(granted.stops).toEqual(['tool_use', 'end_turn'])
    expect(Object.values(granted.results)).toEqual(['x', 'Go on'])
    const denied = await play(work, grantAll, denyAll)
    expect(denied.stops).toEqual(['tool_use', 'error'])
    expect(Object.values(denied.results)).toEqual(['x', 'Tool call denied'])
  })

  it('when the budget question of a sub-agent is denied', async () => {
    const prompt = script(call('h', 'hidden', { msg: 'x' }), NEXT, 'say found')
    const { stops, results } = await play(script(call('s', 'Agent', { description: 'd', prompt })), grantAll, denyAll)
    expect(stops).toEqual(['tool_use', 'error'])
    expect(Object.keys(results)).toContain('s')
    expect(Object.values(results)).toContain('Tool call denied')
  })

  it('when the model fails after a question was granted', async () => {
    const { stops, results } = await play(script(ask, NEXT, 'fail'), grantAll)
    expect(stops.at(-1)).toBe('error')
    expect(results).toMatchObject({ q: ASK_IN_TEXT })
  })

  it('when a question is granted together with a client call', async () => {
    const { results } = await play(script(ask, call('c', 'weather')), grantAll)
    expect(results).toMatchObject({ q: ASK_IN_TEXT, c: 'weather at the client' })
  })

  it('when only a question is granted and a client call is open', async () => {
    const loop = await openSessionLoop(client(), mode, { tools, clientTools })
    await loop.send([{ role: 'user', content: script(ask, call('c', 'weather')) }])
    const { pending } = await loop.send([{ role: 'tool_permission', toolCallId: 'q', granted: true }])
    expect(pending).toMatchObject({ client: [{ toolCallId: 'c' }], server: [] })
  })

  it('when a call of the client is denied by a permission', async () => {
    const { results } = await play(script(call('c', 'weather'), call('e', 'echo', { msg: 'x' })), denyAll)
    expect(results).toMatchObject({ c: 'Tool call denied', e: 'Tool call denied' })
  })
})

function resultsIn(history: readonly HistoryMessage[]) {
  return Object.fromEntries(
    history.flatMap((message) => (message.role === 'tool' ? [[message.toolCallId, message.content]] : [])),
  )
}

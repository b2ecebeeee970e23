import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parseCreateAndRun, parseCreateSession, parseTurn } from './decode.ts'
import {
  callSettled,
  delta,
  stepAnswered,
  stepEnded,
  stepStarted,
  story,
  text,
  thinking,
  toolCall,
  turnEnded,
  turnPaused,
  turnResumed,
  turnStarted,
} from './test-support/recorded-story.ts'
import { presentStory } from './test-support/present-story.ts'

const fixture = (name: string) => readFile(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')

/** Bodies as the published schemas of both versions write them. */
describe('published requests', () => {
  it.each([1, 3] as const)('of version %i are all taken', async (version) => {
    const { create, turn } = JSON.parse(await fixture(`requests.v${version}.json`))
    const parseCreate = version === 3 ? parseCreateSession : parseCreateAndRun
    for (const body of create) expect(parseCreate(body).agent.name).toBe('a')
    for (const body of turn) expect(parseTurn(version, body).messages.type).toMatch(/^(input|answers)$/)
    expect([create.length, turn.length]).not.toContain(0)
  })
})

/** A turn that thinks, speaks, calls two tools, waits for a permission, and is cut off in its next answer. */
const WHOLE_TURN = story(
  turnStarted,
  stepStarted(),
  delta('thinking', 0, 0, 'Two tools', 2),
  delta('text', 1, 0, 'One ', 2),
  delta('text', 1, 4, 'moment\n', 2),
  stepAnswered([
    thinking('Two tools'),
    text('One moment\n'),
    toolCall('c1', 'echo', { msg: 'é' }),
    toolCall('c2', 'bash'),
  ]),
  callSettled('c1', { output: 'é' }),
  turnPaused,
  turnResumed,
  callSettled('c2', { output: [{ type: 'text', text: 'ok' }] }),
  stepEnded(),
  stepStarted(2),
  delta('text', 0, 0, 'Half an ans', 9, 2),
  stepEnded([text('Half an answer')], 2),
  turnEnded('cancelled'),
)

describe('a whole turn', () => {
  it.each(['delta', 'message'] as const)('in %s mode arrives byte for byte', async (mode) => {
    expect(presentStory(WHOLE_TURN, mode).text).toBe(await fixture(`turn.${mode}.sse`))
  })
})

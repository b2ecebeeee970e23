import { readFileSync } from 'node:fs'
import { foldEvents } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { decodeEvent } from './codec.ts'

/** Logs as they were written when every event was of version 1, each with the state that it was folded to then. */
const LOGS = z
  .record(
    z.string(),
    z.object({
      rows: z.array(z.object({ type: z.string(), version: z.literal(1), data: z.json() })),
      state: z.record(z.string(), z.json()),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL('./fixtures/logs-of-version-1.json', import.meta.url), 'utf8')))

const read = (name: string) =>
  (LOGS[name]?.rows ?? []).map(({ type, version, data }) => decodeEvent({ type, version, data: JSON.stringify(data) }))

describe('a log of version 1', () => {
  it.each(Object.keys(LOGS))('folds to the state that it was folded to then: %s', (name) => {
    // Settings stood beside the other fields of the state then, and overrides were not part of it.
    const { settings, shape: _shape, ...state } = foldEvents(read(name))
    const { shape: _former, ...then } = LOGS[name]?.state ?? {}
    expect(JSON.parse(JSON.stringify({ ...settings, ...state }))).toEqual({ ...then, overrides: [] })
  })

  it('gets the kinds of its calls from their routes and names', () => {
    const kinds = read('settings').flatMap((event) => (event.type === 'step.answered' ? [event.kinds] : []))
    expect(kinds).toEqual([{ p1: 'plan', q1: 'question', g1: 'agent' }, undefined, undefined, { r1: 'result' }])
  })
})

describe('the settings of a session', () => {
  const [created, configured] = read('settings')

  it('of version 1 become one object', () => {
    expect(created).toEqual({
      type: 'session.created',
      sessionId: '00000000-0000-7000-8000-000000000001',
      userId: 'ann',
      agent: 'tester',
      settings: {
        access: { type: 'preset' },
        clientTools: [
          {
            name: 'show',
            title: 'Show',
            description: 'Shows.',
            parameters: { type: 'object', properties: { text: { type: 'string' } } },
          },
        ],
        options: { key: '***', language: 'German' },
        secretOptions: ['key'],
        preset: 'workspace-write',
        directories: ['/work/a', '/work/b'],
        title: 'First',
        role: 'author',
        disabledTools: ['Glob'],
        recallsMemories: false,
        isPinned: false,
        isShared: false,
        labels: { mode: 'ask' },
      },
    })
    expect(configured).toEqual({
      type: 'session.configured',
      settings: { title: 'Second', isPinned: true, labels: { mode: '', fingerprint: 'f' } },
    })
  })

  it('that were added later have their defaults in older logs, and changes do not bring them', () => {
    const settings = { access: { type: 'preset' } }
    const data = { type: 'session.created', sessionId: 's', userId: 'u', agent: 'a', settings }
    expect(decodeEvent({ type: data.type, version: 2, data: JSON.stringify(data) })).toEqual({
      ...data,
      settings: {
        access: { type: 'preset' },
        clientTools: [],
        options: {},
        secretOptions: [],
        preset: 'workspace-write',
        directories: [],
        disabledTools: [],
        recallsMemories: true,
        isPinned: false,
        isShared: false,
        labels: {},
      },
    })
    const change = { type: 'session.configured', settings: {} }
    expect(decodeEvent({ type: change.type, version: 2, data: JSON.stringify(change) })).toEqual(change)
  })

  it.each([
    ['session.created', null],
    ['session.created', { type: 'session.created', sessionId: 's', userId: 'u', agent: 'a' }],
    ['session.configured', 'x'],
    ['session.configured', { type: 'session.configured', preset: 'everything' }],
  ])('in a damaged row of version 1 are refused: %s %j', (type, data) => {
    expect(() => decodeEvent({ type, version: 1, data: JSON.stringify(data) })).toThrow(`event ${type} is damaged`)
  })
})

describe('an answer of version 1', () => {
  const block = (id: string, name: string) => ({ type: 'tool-call', toolCallId: id, name, input: {} })
  const kindsOf = (blocks: unknown, routes: unknown) => {
    const answered = {
      type: 'step.answered',
      turnId: 't',
      stepId: 's',
      blocks,
      routes,
      finish: 'stop',
      usage: { inputTokens: 1, outputTokens: 1 },
    }
    const event = decodeEvent({ type: 'step.answered', version: 1, data: JSON.stringify(answered) })
    return event.type === 'step.answered' ? event.kinds : undefined
  }

  it('gives no kind to a client tool with the name of a built-in one', () => {
    expect(kindsOf([block('a', 'TodoWrite')], { a: 'client' })).toBeUndefined()
  })

  it('takes the route before the name', () => {
    expect(kindsOf([block('a', 'Ask'), block('b', 'Bash')], { a: 'question', b: 'server' })).toEqual({
      a: 'question',
      b: 'execute',
    })
  })

  it.each([[null], ['x'], [[null]], [[{ type: 'tool-call' }]]])('with blocks %j is refused as damaged', (blocks) => {
    expect(() => kindsOf(blocks, {})).toThrow('event step.answered is damaged')
  })
})

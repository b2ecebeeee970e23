import { asLoopId, asToolCallId, type CallRoute, type CallStatus, type RecordedEvent } from '@polylogue/engine'
import { describe, expect, it } from 'vitest'
import { gist, parseFrames } from './test-support/parse-frames.ts'
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

const tell = (items: Parameters<typeof presentStory>[0], mode: 'delta' | 'message' = 'delta', after?: string) =>
  parseFrames(presentStory(items, mode, after).text)
const names = (items: Parameters<typeof presentStory>[0], after?: string): string[] =>
  tell(items, 'delta', after).map(({ event }) => event)

const started = { event: 'turn_start' }
const finished = { event: 'turn_stop', stopReason: 'end_turn' }

describe('a turn as events', () => {
  it('has its frames to the byte', () => {
    const log = story(
      turnStarted,
      stepStarted(),
      delta('thinking', 0, 0, 'hm', 2),
      delta('text', 1, 0, 'a\n"b"\u2028😀', 2),
      stepAnswered([thinking('hm'), text('a\n"b"\u2028😀')]),
      stepEnded(),
      turnEnded(),
    )
    expect(presentStory(log, 'delta').text).toBe(
      [
        'event: turn_start\ndata: {"event":"turn_start"}\nid: 1\n\n',
        'event: thinking_delta\ndata: {"event":"thinking_delta","delta":"hm"}\nid: 2.0.2\n\n',
        'event: text_delta\ndata: {"event":"text_delta","delta":"a\\n\\"b\\"\\u2028😀"}\nid: 2.1.8\n\n',
        'event: turn_stop\ndata: {"event":"turn_stop","stopReason":"end_turn"}\nid: 5\n\n',
      ].join(''),
    )
    expect(presentStory(log, 'message').text).toBe(
      [
        'event: turn_start\ndata: {"event":"turn_start"}\nid: 1\n\n',
        'event: thinking\ndata: {"event":"thinking","thinking":"hm"}\nid: 3.0.0\n\n',
        'event: text\ndata: {"event":"text","text":"a\\n\\"b\\"\\u2028😀"}\nid: 3\n\n',
        'event: turn_stop\ndata: {"event":"turn_stop","stopReason":"end_turn"}\nid: 5\n\n',
      ].join(''),
    )
  })

  it('in message mode has one thinking and one text for each assistant message, in the order they began', () => {
    const blocks = [text('a'), thinking('x'), toolCall('c'), text('b'), thinking('y')]
    const log = story(
      turnStarted,
      stepStarted(),
      stepAnswered(blocks),
      callSettled('c'),
      stepEnded(),
      stepStarted(2),
      stepAnswered([text('end')], 2),
      turnEnded(),
    )
    expect(gist(tell(log, 'message'))).toEqual([
      started,
      { event: 'text', text: 'ab' },
      { event: 'thinking', thinking: 'xy' },
      { event: 'tool_call', toolCallId: 'c', name: 'echo', input: {} },
      { event: 'tool_result', toolCallId: 'c', content: 'c ran' },
      { event: 'text', text: 'end' },
      finished,
    ])
  })

  it('has all calls of a step before its first result, wherever the text was', () => {
    const blocks = [toolCall('a'), text('between'), toolCall('b')]
    const log = story(
      turnStarted,
      stepStarted(),
      delta('text', 1, 0, 'between', 2),
      stepAnswered(blocks),
      callSettled('b'),
      callSettled('a'),
      stepEnded(),
      turnEnded(),
    )
    expect(names(log)).toEqual([
      'turn_start',
      'text_delta',
      'tool_call',
      'tool_call',
      'tool_result',
      'tool_result',
      'turn_stop',
    ])
  })

  it('stops with tool_use when it waits, and starts again when it continues', () => {
    const log = story(
      turnStarted,
      stepStarted(),
      stepAnswered([toolCall('a')]),
      turnPaused,
      turnResumed,
      callSettled('a'),
      stepEnded(),
      stepStarted(2),
      stepAnswered([text('ok')], 2),
      turnEnded(),
    )
    expect(gist(tell(log))).toEqual([
      started,
      { event: 'tool_call', toolCallId: 'a', name: 'echo', input: {} },
      { event: 'turn_stop', stopReason: 'tool_use' },
      started,
      { event: 'tool_result', toolCallId: 'a', content: 'a ran' },
      { event: 'text_delta', delta: 'ok' },
      finished,
    ])
  })

  it('says nothing outside of a segment: a waiting turn that is superseded has stopped before', () => {
    const log = story(
      turnStarted,
      stepStarted(),
      stepAnswered([toolCall('a')]),
      turnPaused,
      callSettled('a', { by: 'engine', status: 'cancelled' }),
      stepEnded(),
      turnEnded('cancelled'),
    )
    expect(names(log)).toEqual(['turn_start', 'tool_call', 'turn_stop'])
    expect(names(log.slice(3), '4')).toEqual([])
  })

  it.each([
    ['token-limit', { stopReason: 'max_tokens' }],
    ['refused', { stopReason: 'refusal' }],
    ['step-limit', { stopReason: 'error', error: { message: 'The agent reached its step limit.' } }],
    ['failed', { stopReason: 'error', error: { message: 'The turn failed.' } }],
    ['interrupted', { stopReason: 'error', error: { message: 'The turn was interrupted.' } }],
    ['cancelled', { stopReason: 'error', error: { message: 'The turn was cancelled.' }, cancelled: true }],
  ] as const)('that ends as %s stops so', (outcome, stop) => {
    expect(tell(story(turnStarted, turnEnded(outcome))).at(-1)?.data).toEqual({ event: 'turn_stop', ...stop })
  })

  it('says what is left of a step that was cut short, in message mode its text only', () => {
    const log = story(turnStarted, stepStarted(), stepEnded([thinking('hm'), text('half')]), turnEnded('cancelled'))
    expect(gist(tell(log)).slice(1, -1)).toEqual([
      { event: 'thinking_delta', delta: 'hm' },
      { event: 'text_delta', delta: 'half' },
    ])
    expect(gist(tell(log, 'message')).slice(1, -1)).toEqual([{ event: 'text', text: 'half' }])
  })

  it('leaves out what sub-agents do', () => {
    const child = [
      stepStarted(9, asLoopId('child')),
      ...[stepAnswered([text('inner'), toolCall('inner')], 9), callSettled('inner'), stepEnded(undefined, 9)].map(
        (event) => ({ ...event, loopId: asLoopId('child') }),
      ),
    ]
    const log = story(
      turnStarted,
      stepStarted(),
      stepAnswered([toolCall('a')]),
      { ...delta('text', 0, 0, 'inner', 9, 9), loopId: asLoopId('child') },
      ...child,
      callSettled('a'),
      stepEnded(),
      turnEnded(),
    )
    expect(gist(tell(log)).slice(1, -1)).toEqual([
      { event: 'tool_call', toolCallId: 'a', name: 'echo', input: {} },
      { event: 'tool_result', toolCallId: 'a', content: 'a ran' },
    ])
  })
})

describe('the result of a call', () => {
  const settledOnly = (...events: readonly RecordedEvent[]) => gist(tell(story(turnResumed, ...events))).slice(1)
  const result = (content: string) => ({ event: 'tool_result', toolCallId: 'a', content })

  it('is shown unless the client gave it itself', () => {
    const log = (route: 'server' | 'client', by: 'client' | 'engine', status: CallStatus = 'denied') =>
      story(turnStarted, stepStarted(), stepAnswered([toolCall('a')], 1, route), callSettled('a', { by, status }))
    expect(names(log('server', 'engine'))).toContain('tool_result')
    expect(names(log('server', 'client'))).not.toContain('tool_result')
    expect(names(log('client', 'engine'))).toContain('tool_result')
    expect(names(log('client', 'client'))).not.toContain('tool_result')
  })

  it('is shown for every call that was called off: without one it would seem to wait', () => {
    const log = story(
      turnStarted,
      stepStarted(),
      stepAnswered([toolCall('a')], 1, 'client'),
      callSettled('a', { by: 'engine', status: 'cancelled' }),
      turnEnded('cancelled'),
    )
    expect(names(log)).toEqual(['turn_start', 'tool_call', 'tool_result', 'turn_stop'])
  })

  it('is shown when its call was made before the reader came, if the agent gave it', () => {
    expect(settledOnly(callSettled('a'))).toEqual([result('a ran')])
    expect(settledOnly(callSettled('a', { by: 'engine', status: 'unknown', output: 'who knows' }))).toEqual([
      result('who knows'),
    ])
    expect(settledOnly(callSettled('a', { by: 'client' }))).toEqual([])
  })
})

describe('calls of a sub-agent that wait', () => {
  const child = asLoopId('loop_s')
  const inChild = (event: RecordedEvent): RecordedEvent => ({ ...event, loopId: child }) as RecordedEvent
  const answered = (routes: Readonly<Record<string, CallRoute>>, ...calls: string[]): RecordedEvent => ({
    ...(stepAnswered([text('hm'), ...calls.map((id) => toolCall(id))]) as Extract<
      RecordedEvent,
      { type: 'step.answered' }
    >),
    routes,
  })
  const inner = (id: string): RecordedEvent[] => [
    inChild(stepAnswered([toolCall(id)], 9)),
    inChild({ type: 'approval.requested', turnId: turnIdOf(turnPaused), toolCallId: asToolCallId(id), callHash: 'h' }),
  ]
  const paused = (...ids: string[]): RecordedEvent => ({
    ...(turnPaused as Extract<RecordedEvent, { type: 'turn.paused' }>),
    calls: ids.map((id) => ({ toolCallId: asToolCallId(id), name: 'echo', input: {} })),
  })
  const resumed = (...ids: string[]): RecordedEvent => ({
    ...(turnResumed as Extract<RecordedEvent, { type: 'turn.resumed' }>),
    waited: ids.map(asToolCallId),
  })
  /** The agent calls a sub-agent, a tool that runs at once and one of the client; the sub-agent waits twice. */
  const LOG = story(
    turnStarted,
    stepStarted(),
    answered({ s: 'agent', e: 'server', c: 'client' }, 's', 'e', 'c'),
    callSettled('e'),
    ...inner('one'),
    paused('c', 'one'),
    resumed('one'),
    inChild(callSettled('one')),
    ...inner('two'),
    paused('c', 'two'),
    resumed('two'),
    callSettled('c', { by: 'client' }),
    inChild(callSettled('two')),
    callSettled('s'),
    stepEnded(),
    turnEnded(),
  )
  const shown = (frames: ReturnType<typeof tell>) =>
    frames.map(({ event, data }) =>
      data['toolCallId'] === undefined ? event : `${event} ${String(data['toolCallId'])}`,
    )

  it('are shown when the turn pauses, before the results of their step', () => {
    expect(shown(tell(LOG, 'message'))).toEqual([
      ...['turn_start', 'text', 'tool_call s', 'tool_call e', 'tool_call c'],
      ...['tool_call one', 'tool_result e', 'turn_stop'],
      ...['turn_start', 'tool_result one', 'tool_call c', 'tool_call two', 'turn_stop'],
      ...['turn_start', 'tool_result two', 'tool_result s', 'turn_stop'],
    ])
  })

  it('do not keep a result back when the only sub-agent of the step needs an approval', () => {
    const log = story(
      turnStarted,
      stepStarted(),
      answered({ e: 'server', s: 'agent', h: 'server' }, 'e', 's', 'h'),
      callSettled('e', { by: 'engine', status: 'failed' }),
      { type: 'approval.requested', turnId: turnIdOf(turnPaused), toolCallId: asToolCallId('s'), callHash: 'h' },
      callSettled('h'),
      turnPaused,
    )
    expect(shown(tell(log, 'message')).slice(5)).toEqual(['tool_result e', 'tool_result h', 'turn_stop'])
  })

  it('that were granted at an earlier stop still get their results', () => {
    const log = story(resumed('one', 'two'), inChild(callSettled('one')), inChild(callSettled('two')), paused())
    expect(shown(tell(log, 'message')).slice(1, 3)).toEqual(['tool_result one', 'tool_result two'])
  })

  it('are not shown again when nothing new waits', () => {
    const log = [...LOG.slice(0, 7), ...story(resumed('one'), paused('c', 'one'))]
    const numbered = log.map((item, index) => ('block' in item ? item : { ...item, seq: index + 1 }))
    expect(shown(tell(numbered, 'message')).slice(-2)).toEqual(['turn_start', 'turn_stop'])
  })

  it.each(['delta', 'message'] as const)('are delivered to the end after any of their events, in %s', (mode) => {
    const whole = tell(LOG, mode)
    expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length)
    for (const [index, { id }] of whole.entries()) {
      expect([...shown(whole.slice(0, index + 1)), ...shown(tell(LOG, mode, id))]).toEqual(shown(whole))
    }
  })
})

function turnIdOf(event: RecordedEvent) {
  if (!('turnId' in event) || event.turnId === undefined) throw new Error('not an event of a turn')
  return event.turnId
}

import { NEXT, call, script } from '../support/script.ts'
import type { Item, State } from './account.ts'
import type { Message } from './driver.ts'

/** An action, and what every door shows afterwards. */
export interface Act {
  readonly does:
    | { readonly type: 'send'; readonly message: Message }
    | { readonly type: 'decide'; readonly callId: string; readonly isAllowed: boolean }
    | { readonly type: 'choose'; readonly callId: string; readonly index: number; readonly label: string }
    | { readonly type: 'cancel' | 'restart' }
  /**
   * New items, without user messages. An id that begins with `$` matches any id; a content that begins with `$` matches any
   * content that starts with the rest. Each must be the same at every door.
   */
  readonly brings: readonly Item[]
  readonly state: State
}

export interface Scenario {
  readonly name: string
  /** `doors` unless given. */
  readonly agent?: 'thrifty'
  /** Calls of sub-agents, which some doors show beside those of the agent. */
  readonly innerCalls?: readonly string[]
  readonly acts: readonly Act[]
}

const send = (text: string, brings: readonly Item[], state: State = 'finished'): Act => ({
  does: { type: 'send', message: { text } },
  brings,
  state,
})
const decide = (callId: string, isAllowed: boolean, brings: readonly Item[]): Act => ({
  does: { type: 'decide', callId, isAllowed },
  brings,
  state: 'finished',
})

const QUESTION = { questions: [{ question: 'Which one?', options: [{ label: 'Red' }, { label: 'Blue' }] }] }
const called = (id: string, name: string, input: unknown): Item => ({ call: id, name, input })
const echo = (id: string, msg: string): readonly Item[] => [called(id, 'echo', { msg }), { result: id, content: msg }]

/** 8 by 8 pixels. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR4nGPgF9WkHWKgqWkAAMvxD4EcVd6TAAAAAElFTkSuQmCC'

const LONG = Array.from({ length: 120 }, (_, at) => `word${at}`).join(' ')
const spent = 'This turn has used 2 model calls; the budget is 2 model calls. What shall happen?'

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'plain',
    acts: [
      send('say Hello there', [{ text: 'Hello there' }]),
      send(script('say Grüße 你好 🙂', 'say next line'), [{ text: 'Grüße 你好 🙂\nnext line' }]),
    ],
  },
  {
    name: 'thinking',
    acts: [send(script('think hm well', 'say so'), [{ thinking: 'hm well' }, { text: 'so' }])],
  },
  {
    name: 'parallel mixed tools',
    acts: [
      send(
        script(
          'say look',
          call('c1', 'echo', { msg: 'one' }),
          call('c2', 'boom'),
          call('c3', 'mark', { run: 'three' }),
          NEXT,
          'say seen',
        ),
        [
          { text: 'look' },
          called('c1', 'echo', { msg: 'one' }),
          called('c2', 'boom', {}),
          called('c3', 'mark', { run: 'three' }),
          { result: 'c1', content: 'one' },
          { result: 'c2', content: 'Error: boom' },
        ],
        'waiting',
      ),
      decide('c3', true, [{ result: 'c3', content: 'marked three' }, { text: 'seen' }]),
    ],
  },
  {
    name: 'denial',
    acts: [
      send(
        script(call('d1', 'mark', { run: 'no' }), NEXT, 'say well'),
        [called('d1', 'mark', { run: 'no' })],
        'waiting',
      ),
      decide('d1', false, [{ result: 'd1', content: '$Tool call denied' }, { text: 'well' }]),
    ],
  },
  {
    name: 'question',
    acts: [
      send(script(call('q1', 'AskUserQuestion', QUESTION)), [called('q1', 'AskUserQuestion', QUESTION)], 'waiting'),
      {
        does: { type: 'choose', callId: 'q1', index: 1, label: 'Blue' },
        brings: [{ result: 'q1', content: 'Blue' }, { text: 'RESULTS 1: Blue' }],
        state: 'finished',
      },
    ],
  },
  {
    name: 'sub-agent',
    innerCalls: ['i1'],
    acts: [
      send(
        script(
          'say delegating',
          call('a1', 'Agent', {
            description: 'Look',
            prompt: script(call('i1', 'echo', { msg: 'inside' }), NEXT, 'say found'),
          }),
          NEXT,
          'say back',
        ),
        [
          { text: 'delegating' },
          called('a1', 'Agent', {
            description: 'Look',
            prompt: script(call('i1', 'echo', { msg: 'inside' }), NEXT, 'say found'),
          }),
          { result: 'a1', content: 'found' },
          { text: 'back' },
        ],
      ),
    ],
  },
  {
    name: 'cancel',
    acts: [
      send(script('say begun', 'sleep 60000'), [{ text: 'begun' }], 'running'),
      { does: { type: 'cancel' }, brings: [], state: 'cancelled' },
      send('say again', [{ text: 'again' }]),
    ],
  },
  {
    name: 'model failure',
    acts: [send(script('say half', 'fail'), [{ text: 'half' }], 'failed')],
  },
  {
    name: 'token limit',
    acts: [send(script('say cut', 'stop max_tokens'), [{ text: 'cut' }], 'token-limit')],
  },
  {
    name: 'compaction',
    acts: [send(`say ${LONG}`, [{ text: LONG }]), send(script('overflow', 'say after'), [{ text: 'after' }])],
  },
  {
    name: 'restart in the middle',
    acts: [
      send(
        script('say before', call('r1', 'echo', { msg: 'kept' }), call('r2', 'hold'), NEXT, 'say after'),
        [
          { text: 'before' },
          called('r1', 'echo', { msg: 'kept' }),
          called('r2', 'hold', {}),
          { result: 'r1', content: 'kept' },
        ],
        'running',
      ),
      {
        does: { type: 'restart' },
        brings: [{ result: 'r2', content: 'held' }, { text: 'after' }],
        state: 'finished',
      },
    ],
  },
  {
    name: 'images',
    acts: [
      {
        does: { type: 'send', message: { text: 'say a picture', image: PNG } },
        brings: [{ text: 'a picture' }],
        state: 'finished',
      },
    ],
  },
  {
    name: 'budget question',
    agent: 'thrifty',
    acts: [
      send(
        script(call('b1', 'echo', { msg: 'x' }), NEXT, call('b2', 'echo', { msg: 'y' }), NEXT, 'say done'),
        [
          ...echo('b1', 'x'),
          ...echo('b2', 'y'),
          called('$budget', 'AskUserQuestion', {
            questions: [
              {
                question: spent,
                header: 'Budget',
                options: [
                  { label: 'Go on', description: 'Allows 2 model calls more' },
                  { label: 'Stop', description: 'Ends the turn here' },
                ],
              },
            ],
          }),
        ],
        'waiting',
      ),
      {
        does: { type: 'choose', callId: '$budget', index: 0, label: 'Go on' },
        brings: [{ result: '$budget', content: 'Go on' }, { text: 'done' }],
        state: 'finished',
      },
    ],
  },
]

// Rules of AAP about turns: answers, streams and tools.
import type { AapCase } from './aap-cases.ts'
import { textOf, user, type AapWorld, type StreamedTurn } from './aap-world.ts'
import { asList, asObject, asText, expectEqual, expectThat, needs } from './expectations.ts'

const weather = {
  name: 'weather',
  description: 'Tells the weather',
  schema: { type: 'object', properties: { city: { type: 'string' } } },
}

const clientTool = ({ isV3 }: AapWorld) => {
  const { schema, ...tool } = weather
  return isV3 ? { ...tool, parameters: schema } : { ...tool, inputSchema: schema }
}

const names = ({ events }: StreamedTurn): readonly string[] =>
  events.map(({ value, name }) => asText(value['event']) || name)
const joined = ({ events }: StreamedTurn, event: string): string =>
  events.flatMap(({ value }) => (value['event'] === event ? [String(value['delta'])] : [])).join('')
const calls = ({ events }: StreamedTurn) =>
  events.filter(({ value }) => value['event'] === 'tool_call').map(({ value }) => value)
const stopOf = ({ events }: StreamedTurn) =>
  events.find(({ value }) => value['event'] === 'turn_stop')?.value['stopReason']
const CALL_WEATHER = 'call c1 weather {"city":"Oslo"}'
const CALL_ECHO = 'call c1 echo {"msg":"hi"}'

/** A session with the tool `echo`, and a turn in which the model calls it. */
async function callEcho(world: AapWorld, trust: boolean) {
  world.needsEcho()
  const id = await world.create({ agent: { tools: [{ name: 'echo', trust }] } })
  return { id, turn: await world.stream(id, CALL_ECHO, 'delta') }
}

async function deny(world: AapWorld, reason?: string): Promise<string> {
  const { id, turn } = await callEcho(world, false)
  const toolCallId = calls(turn)[0]?.['toolCallId']
  await world.turn(id, [{ role: 'tool_permission', toolCallId, granted: false, ...(reason && { reason }) }])
  const result = (await world.fullHistory(id)).find(({ role }) => role === 'tool')
  return textOf([{ role: 'assistant', content: result?.['content'] }])
}

export const AAP_TURN_CASES: readonly AapCase[] = [
  {
    rule: '21',
    versions: [3],
    async run(world) {
      const seed = [user('earlier'), { role: 'assistant', content: 'before' }]
      const history = await world.fullHistory(await world.create({ messages: seed }))
      const shown = history.map(({ role, content }) => [role, textOf([{ role: 'assistant', content }])])
      expectEqual(
        shown,
        [
          ['user', 'earlier'],
          ['assistant', 'before'],
        ],
        'full history',
      )
    },
  },
  {
    rule: '46',
    isScripted: true,
    async run(world) {
      const id = await world.create()
      const before = (await world.fullHistory(id)).length
      await world.turn(id, 'say one')
      await world.turn(id, 'say two')
      const history = (await world.fullHistory(id)).slice(before)
      const shown = history.map(({ role, content }) => [role, textOf([{ role: 'assistant', content }])])
      const expected = [
        ['user', 'say one'],
        ['assistant', 'one'],
        ['user', 'say two'],
        ['assistant', 'two'],
      ]
      expectEqual(shown, expected, 'full history')
    },
  },
  {
    rule: '55',
    async run(world) {
      const { headers } = await world.turn(await world.create(), 'say hi')
      const type = headers.get('content-type') ?? ''
      expectThat(type.startsWith('application/json'), `the answer is ${type}`)
    },
  },
  {
    rule: '60',
    isScripted: true,
    async run(world) {
      const id = await world.create()
      const first = world.turn(id, 'sleep 1500\nsay late', { stream: 'delta' })
      await new Promise((resolve) => setTimeout(resolve, 400))
      expectEqual((await world.turn(id, 'say no')).status, 409, 'status of the second turn')
      expectEqual((await first).status, 200, 'status of the first turn')
    },
  },
  {
    rule: '63',
    async run(world) {
      const { status, json } = await world.turn(await world.create(), 'say hi', { stream: 'none' })
      const { stopReason, messages } = asObject(json)
      expectEqual(status, 200, 'status')
      expectThat(typeof stopReason === 'string' && Array.isArray(messages), 'stopReason or messages are missing')
    },
  },
  {
    rule: '64',
    async run(world) {
      const { json } = await world.turn(await world.create(), 'say hi', { stream: 'none' })
      const roles = asList(asObject(json)['messages']).map((message) => asObject(message)['role'])
      needs(roles.length > 0, 'the agent said nothing')
      expectThat(
        roles.every((role) => role === 'assistant' || role === 'tool'),
        `roles: ${roles.join(', ')}`,
      )
    },
  },
  {
    rule: '68',
    async run(world) {
      const { status, headers } = await world.stream(await world.create(), 'say hi', 'delta')
      const [type] = (headers.get('content-type') ?? '').split(';')
      expectEqual([status, type], [200, 'text/event-stream'], 'status and content type')
    },
  },
  {
    rule: '69',
    async run(world) {
      const { events } = await world.stream(await world.create(), 'say hi', 'delta')
      expectEqual(events[0]?.value, { event: 'turn_start' }, 'the first event')
    },
  },
  {
    rule: '70',
    async run(world) {
      const turn = await world.stream(await world.create(), 'say hi', 'delta')
      expectEqual(names(turn).filter((name) => name === 'turn_stop').length, 1, 'number of turn_stop')
      expectEqual(names(turn).at(-1), 'turn_stop', 'the last event')
    },
  },
  {
    rule: '72',
    async run(world) {
      const { events, text } = await world.stream(await world.create(), 'say hi', 'delta')
      expectThat(events.length > 0, 'there are no events')
      for (const { name, value, data } of events) {
        expectEqual(value['event'], name, 'event in data and in the frame')
        expectThat(!data.includes('\n'), 'an event has more than one data line')
      }
      expectThat(!text.includes('[DONE]'), 'the stream has [DONE]')
    },
  },
  {
    rule: '73',
    async run(world) {
      const delta = names(await world.stream(await world.create(), 'say hi', 'delta'))
      expectThat(!delta.includes('text') && !delta.includes('thinking'), 'delta mode sent text or thinking')
      const message = names(await world.stream(await world.create(), 'say hi', 'message'))
      expectThat(!message.some((name) => name.endsWith('_delta')), 'message mode sent a delta')
    },
  },
  {
    rule: '74',
    isScripted: true,
    async run(world) {
      const id = await world.create()
      const turn = await world.stream(id, 'say one two three', 'delta')
      expectEqual(joined(turn, 'text_delta'), textOf((await world.fullHistory(id)).slice(-1)), 'joined deltas')
    },
  },
  {
    rule: '75',
    isScripted: true,
    async run(world) {
      const { events } = await world.stream(await world.create(), 'say one two', 'message')
      const texts = events.filter(({ value }) => value['event'] === 'text').map(({ value }) => value['text'])
      expectEqual(texts, ['one two'], 'text events')
    },
  },
  {
    rule: '80',
    isScripted: true,
    async run(world) {
      const id = await world.create()
      expectEqual(stopOf(await world.stream(id, 'say a\nfail', 'delta')), 'error', 'stopReason')
      expectEqual(stopOf(await world.stream(id, 'say b', 'delta')), 'end_turn', 'stopReason of the next turn')
    },
  },
  {
    rule: '83',
    isScripted: true,
    async run(world) {
      const id = await world.create()
      expectEqual(stopOf(await world.stream(id, 'say a\nstop max_tokens', 'delta')), 'max_tokens', 'stopReason')
    },
  },
  {
    rule: '84',
    isScripted: true,
    async run(world) {
      const said = 'a\u2028b 🙂 naïve'
      expectEqual(joined(await world.stream(await world.create(), `say ${said}`, 'delta'), 'text_delta'), said, 'text')
    },
  },
  {
    rule: '86',
    isScripted: true,
    async run(world) {
      world.needsClientTools()
      const id = await world.create({ tools: [clientTool(world)] })
      const turn = await world.stream(id, CALL_WEATHER, 'delta')
      expectEqual([calls(turn)[0]?.['name'], stopOf(turn)], ['weather', 'tool_use'], 'call and stopReason')
      const toolCallId = calls(turn)[0]?.['toolCallId']
      const answer = await world.turn(id, [{ role: 'tool', toolCallId, content: 'snow' }])
      expectThat(
        textOf(asList(asObject(answer.json)['messages'])).includes('snow'),
        'the result did not reach the model',
      )
    },
  },
  {
    rule: '47',
    isScripted: true,
    async run(world) {
      world.needsClientTools()
      const id = await world.create({ tools: [clientTool(world)] })
      await world.turn(id, CALL_WEATHER)
      const last = asList((await world.fullHistory(id)).at(-1)?.['content']).map(asObject)
      expectThat(
        last.some(({ type, name }) => type === 'tool_use' && name === 'weather'),
        'history has no tool_use',
      )
    },
  },
  {
    rule: '77',
    isScripted: true,
    async run(world) {
      world.needsClientTools()
      const turn = await world.stream(await world.create({ tools: [clientTool(world)] }), CALL_WEATHER, 'delta')
      needs(calls(turn).length > 0, 'the model called nothing')
      expectEqual(calls(turn)[0]?.['input'], { city: 'Oslo' }, 'input')
    },
  },
  {
    rule: '87',
    isScripted: true,
    async run(world) {
      const told = names((await callEcho(world, true)).turn).filter((name) => !name.endsWith('_delta'))
      expectEqual(told, ['turn_start', 'tool_call', 'tool_result', 'turn_stop'], 'events without deltas')
    },
  },
  {
    rule: '88',
    isScripted: true,
    async run(world) {
      const { id, turn } = await callEcho(world, false)
      expectThat(!names(turn).includes('tool_result'), 'the tool ran')
      const ran = (await world.fullHistory(id)).some(({ role }) => role === 'tool')
      expectThat(!ran, 'history has a result')
    },
  },
  {
    rule: '89',
    isScripted: true,
    async run(world) {
      const { id, turn } = await callEcho(world, false)
      const toolCallId = calls(turn)[0]?.['toolCallId']
      const granted = await world.stream(id, [{ role: 'tool_permission', toolCallId, granted: true }], 'delta')
      const results = granted.events.filter(({ value }) => value['event'] === 'tool_result')
      expectEqual(
        results.map(({ value }) => value['toolCallId']),
        [toolCallId],
        'results',
      )
      expectThat(joined(granted, 'text_delta') !== '', 'no text followed')
    },
  },
  {
    rule: '90',
    isScripted: true,
    async run(world) {
      expectEqual(await deny(world), 'Tool call denied', 'result in history')
    },
  },
  {
    rule: '91',
    isScripted: true,
    async run(world) {
      expectEqual(await deny(world, 'not today'), 'Tool call denied: not today', 'result in history')
    },
  },
  {
    rule: '108',
    isScripted: true,
    async run(world) {
      const { turn } = await callEcho(world, true)
      const result = turn.events.find(({ value }) => value['event'] === 'tool_result')?.value
      needs(result !== undefined, 'the tool did not run')
      expectEqual(textOf([{ role: 'assistant', content: result?.['content'] }]), 'hi', 'content of the result')
    },
  },
  {
    rule: '117',
    versions: [1],
    async run(world) {
      world.needsMode('delta')
      const [method, path, body] = world.creation({ stream: 'delta' })
      const { text } = await world.ask(method, path, { body })
      const events = [...text.matchAll(/^event: ?(\S+)$/gm)].map(([, name]) => name)
      expectEqual(events.slice(0, 2), ['session_start', 'turn_start'], 'the first events')
    },
  },
]

// Rules of AAP about requests and their answers. Each case tries one rule and relies on as little else as it can.
import type { AapWorld } from './aap-world.ts'
import { textOf, user } from './aap-world.ts'
import type { CheckCase } from './check-case.ts'
import { asList, asObject, expectEqual, expectThat, hasText, needs } from './expectations.ts'

export type AapCase = CheckCase<AapWorld> & { readonly versions?: readonly (1 | 3)[] }

const UNKNOWN = '01970000-0000-7000-8000-000000000000'
const V3 = [3] as const
const V1 = [1] as const

const meta = async (world: AapWorld) => asObject((await world.ask('GET', '/meta')).json)
const agents = async (world: AapWorld) => asList((await meta(world))['agents']).map(asObject)
const tools = async (world: AapWorld) => (await agents(world)).flatMap((agent) => asList(agent['tools']).map(asObject))

async function expectRefused(
  asked: Promise<{ readonly status: number; readonly json: unknown }>,
  status: number,
  what: string,
): Promise<void> {
  const answer = await asked
  expectEqual(answer.status, status, `${what}: status`)
  expectThat(hasText(asObject(answer.json)['error']), `${what}: the body has no \`error\``)
}

export const AAP_CASES: readonly AapCase[] = [
  {
    rule: '1',
    versions: V3,
    async run(world) {
      const { status, json } = await world.ask('GET', '/meta')
      expectEqual([status, asObject(json)['version']], [200, 3], 'status and version')
    },
  },
  {
    rule: '2',
    async run(world) {
      const listed = await agents(world)
      const names = listed.map(({ name }) => name)
      expectThat(names.every(hasText), 'an agent has no name')
      expectEqual(new Set(names).size, names.length, 'different names')
      for (const { name, version } of listed)
        expectThat(/^\d+\.\d+\.\d+/.test(String(version)), `${String(name)} has no semantic version`)
    },
  },
  {
    rule: '3',
    versions: V3,
    async run(world) {
      for (const tool of await tools(world)) {
        const isWhole = hasText(tool['name']) && typeof tool['description'] === 'string' && 'parameters' in tool
        expectThat(isWhole && !('inputSchema' in tool), `the tool ${String(tool['name'])} has other fields`)
      }
    },
  },
  {
    rule: '4',
    async run(world) {
      for (const { capabilities } of await agents(world)) {
        for (const group of Object.values(asObject(capabilities)))
          for (const [name, value] of Object.entries(asObject(group))) expectEqual(value, {}, name)
      }
    },
  },
  {
    rule: '5',
    async run(world) {
      for (const option of (await agents(world)).flatMap((agent) => asList(agent['options']).map(asObject))) {
        const isWhole = hasText(option['type']) && hasText(option['name']) && typeof option['default'] === 'string'
        expectThat(isWhole, `the option ${String(option['name'])} lacks type, name or default`)
        if (option['type'] === 'select') expectThat(Array.isArray(option['options']), 'a select option has no options')
      }
    },
  },
  {
    rule: '6',
    async run(world) {
      for (const tool of await tools(world)) {
        const schema = asObject(tool['parameters'] ?? tool['inputSchema'])
        expectThat(!('$schema' in schema), `the tool ${String(tool['name'])} has $schema`)
      }
    },
  },
  {
    rule: '8',
    async run(world) {
      const headers = { authorization: 'Bearer wrong' }
      for (const path of ['/sessions', world.sessionPath(UNKNOWN)])
        await expectRefused(world.ask('GET', path, { headers }), 401, `GET ${path}`)
    },
  },
  {
    rule: '9',
    async run(world) {
      const { status } = await world.ask('GET', '/sessions', { headers: { authorization: 'Bearer' } })
      expectEqual(status, 401, 'status')
    },
  },
  {
    rule: '11',
    async run(world) {
      const [method, path] = world.creation()
      await expectRefused(world.ask(method, path, { raw: '{"agent":' }), 400, `${method} ${path}`)
      const turns = world.turnPath(await world.create())
      await expectRefused(world.ask('POST', turns, { raw: '{]' }), 400, `POST ${turns}`)
    },
  },
  {
    rule: '12',
    async run(world) {
      const { status } = await world.ask('POST', world.turnPath(await world.create()))
      expectEqual(status, 400, 'status')
    },
  },
  {
    rule: '13',
    async run(world) {
      const { status, json } = await world.ask('GET', '/no-such-route')
      expectEqual(status, 404, 'status')
      expectThat(json !== undefined, 'the body is not JSON')
    },
  },
  {
    rule: '16',
    async run(world) {
      const { status } = await world.ask('GET', '/sessions', { headers: { 'content-type': 'application/json' } })
      expectEqual(status, 200, 'status')
    },
  },
  {
    rule: '18',
    versions: V3,
    async run(world) {
      const [method, path, body] = world.creation()
      const { status, json } = await world.ask(method, path, { body })
      expectEqual(status, 201, 'status')
      expectThat(hasText(asObject(json)['sessionId']), 'the answer has no sessionId')
    },
  },
  {
    rule: '19',
    async run(world) {
      const ids = await Promise.all([world.create(), world.create()])
      expectThat(ids[0] !== ids[1], 'two sessions have the same id')
      for (const id of ids) expectThat(/^[\w.~-]+$/.test(id), `${id} has characters that are not URL-safe`)
    },
  },
  {
    rule: '22',
    async run(world) {
      const [method, path, body] = world.creation()
      for (const agent of [undefined, {}, { name: 7 }])
        await expectRefused(
          world.ask(method, path, { body: { ...body, agent } }),
          400,
          `agent ${JSON.stringify(agent)}`,
        )
    },
  },
  {
    rule: '23',
    async run(world) {
      const [method, path, body] = world.creation()
      const { status } = await world.ask(method, path, { body: { ...body, agent: { name: 'no-such-agent-here' } } })
      expectEqual(status, 400, 'status')
    },
  },
  {
    rule: '24',
    async run(world) {
      const permission = { role: 'tool_permission', toolCallId: 'c1', granted: true }
      const [method, path, body] = world.creation({ messages: [user('hi'), permission] })
      expectEqual((await world.ask(method, path, { body })).status, 400, 'status')
    },
  },
  {
    rule: '31',
    versions: V3,
    async run(world) {
      const id = await world.create()
      const listed = asList(asObject((await world.ask('GET', '/sessions')).json)['sessions']).map(asObject)
      const item = listed.find(({ sessionId }) => sessionId === id)
      needs(item !== undefined, 'the new session is not on the first page')
      expectEqual(item, asObject((await world.ask('GET', world.sessionPath(id))).json), 'the item of the list')
    },
  },
  {
    rule: '33',
    async run(world) {
      expectEqual((await world.ask('GET', '/sessions?after=%00not-a-cursor')).status, 400, 'status')
    },
  },
  {
    rule: '35',
    versions: V3,
    async run(world) {
      const id = await world.create()
      const session = asObject((await world.ask('GET', world.sessionPath(id))).json)
      expectEqual(session['sessionId'], id, 'sessionId')
      expectThat(hasText(asObject(session['agent'])['name']), 'the session has no agent')
      expectThat(!('history' in session), 'the session has a history')
    },
  },
  {
    rule: '36',
    async run(world) {
      await expectRefused(world.ask('GET', world.sessionPath(UNKNOWN)), 404, 'GET')
    },
  },
  {
    rule: '40',
    versions: V3,
    async run(world) {
      const id = await world.create()
      const { status, text } = await world.ask('DELETE', world.sessionPath(id))
      expectEqual([status, text], [204, ''], 'status and body')
      for (const method of ['GET', 'DELETE'])
        expectEqual((await world.ask(method, world.sessionPath(id))).status, 404, `${method} afterwards`)
    },
  },
  {
    rule: '42',
    versions: V3,
    async run(world) {
      for (const query of ['', '?type=neither'])
        expectEqual(
          (await world.ask('GET', `${world.sessionPath(UNKNOWN)}/history${query}`)).status,
          400,
          `history${query}`,
        )
    },
  },
  {
    rule: '43',
    versions: V3,
    async run(world) {
      expectEqual((await world.ask('GET', world.historyPath(UNKNOWN))).status, 404, 'status')
    },
  },
  {
    rule: '44',
    versions: V3,
    async run(world) {
      const { json } = await world.ask('GET', world.historyPath(await world.create()))
      needs('history' in asObject(json), 'the agent has no full history')
      expectEqual(Object.keys(asObject(asObject(json)['history'])), ['full'], 'keys of history')
    },
  },
  {
    rule: '52',
    async run(world) {
      const { status, json } = await world.turn(UNKNOWN, 'hi', { stream: 'delta' })
      expectEqual(status, 404, 'status')
      expectThat(json !== undefined, 'the body is not JSON')
    },
  },
  {
    rule: '53',
    async run(world) {
      const id = await world.create()
      const result = { role: 'tool', toolCallId: 'c1', content: 'x' }
      for (const messages of [undefined, [], [user('a'), user('b')], [user('a'), result]]) {
        const { status } = await world.ask('POST', world.turnPath(id), { body: { messages, stream: 'none' } })
        expectEqual(status, 400, `messages ${JSON.stringify(messages)}`)
      }
    },
  },
  {
    rule: '54',
    async run(world) {
      expectEqual((await world.turn(await world.create(), 'hi', { stream: 'sideways' })).status, 400, 'status')
    },
  },
  {
    rule: '58',
    async run(world) {
      const { status } = await world.turn(await world.create(), 'hi', { agent: { name: 'no-such-agent-here' } })
      expectEqual(status, 400, 'status')
    },
  },
  {
    rule: '95',
    async run(world) {
      const answer = [{ role: 'tool', toolCallId: 'no-such-call', content: 'x' }]
      expectEqual((await world.turn(await world.create(), answer)).status, 400, 'status')
    },
  },
  {
    rule: '115',
    versions: V1,
    async run(world) {
      expectEqual((await meta(world))['version'], 1, 'version')
      for (const tool of await tools(world))
        expectThat('inputSchema' in tool && !('parameters' in tool), `${String(tool['name'])} has other fields`)
    },
  },
  {
    rule: '116',
    versions: V1,
    async run(world) {
      const [method, path, body] = world.creation()
      const { status, json } = await world.ask(method, path, { body })
      const answer = asObject(json)
      expectEqual(status, 201, 'status')
      expectThat(hasText(answer['sessionId']) && hasText(answer['stopReason']), 'sessionId or stopReason is missing')
      expectThat(Array.isArray(answer['messages']), 'messages are missing')
    },
  },
  {
    rule: '118',
    versions: V1,
    async run(world) {
      const [method, path, body] = world.creation()
      const messages = [user('hi'), { role: 'assistant', content: 'hello' }]
      expectEqual((await world.ask(method, path, { body: { ...body, messages } })).status, 400, 'status')
    },
  },
  {
    rule: '119',
    versions: V1,
    isScripted: true,
    async run(world) {
      const seed = [user('earlier'), { role: 'assistant', content: 'before' }]
      const history = await world.fullHistory(await world.create({ messages: seed }))
      const shown = history.slice(0, 3).map(({ role, content }) => [role, textOf([{ role: 'assistant', content }])])
      const expected = [
        ['user', 'earlier'],
        ['assistant', 'before'],
        ['user', 'say hello'],
      ]
      expectEqual(shown, expected, 'the first three messages')
    },
  },
  {
    rule: '120',
    versions: V1,
    async run(world) {
      const { json } = await world.turn(await world.create(), 'say again', { stream: 'none' })
      expectThat(!('sessionId' in asObject(json)), 'the answer has a sessionId')
    },
  },
  {
    rule: '122',
    versions: V1,
    async run(world) {
      const { json } = await world.ask('GET', world.historyPath(await world.create()))
      expectEqual(Object.keys(asObject(asObject(json)['history'])), ['full'], 'keys of history')
    },
  },
  {
    rule: '123',
    versions: V1,
    async run(world) {
      await world.create()
      const listed = asList(asObject((await world.ask('GET', '/sessions')).json)['sessions'])
      expectThat(listed.length > 0 && listed.every(hasText), 'the list holds something other than ids')
    },
  },
  {
    rule: '124',
    versions: V1,
    async run(world) {
      const id = await world.create()
      expectEqual((await world.ask('DELETE', world.sessionPath(id))).status, 204, 'status')
      expectEqual((await world.ask('GET', world.sessionPath(id))).status, 404, 'GET afterwards')
    },
  },
]

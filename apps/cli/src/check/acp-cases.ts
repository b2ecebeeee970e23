// Rules of ACP over stdio. Each case starts the command again and tries one rule.
import { chunks, errorCode, type AcpPeer, type AcpWorld } from './acp-world.ts'
import type { CheckCase } from './check-case.ts'
import { asList, asObject, expectEqual, expectThat, hasText, needs } from './expectations.ts'

export type AcpCase = CheckCase<AcpWorld>

const STOP_REASONS = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled']
const UNKNOWN = '01970000-0000-7000-8000-000000000000'

const errorWithoutId = (peer: AcpPeer) =>
  peer.until((frame) => 'error' in frame && (frame['id'] === null || frame['id'] === undefined), 'an error without id')

async function refuses(world: AcpWorld, method: string, params: readonly unknown[]): Promise<void> {
  await world.inSession(async (peer, sessionId) => {
    for (const given of params) {
      const answer = await peer.request(method, { sessionId, ...asObject(given) })
      expectEqual(errorCode(answer), -32602, `${method} with ${JSON.stringify(given)}`)
    }
  })
}

const refusesInitialize = (world: AcpWorld, given: readonly object[]): Promise<void> =>
  world.started(async (peer) => {
    for (const params of given)
      expectEqual(errorCode(await peer.request('initialize', params)), -32602, JSON.stringify(params))
  })

export const ACP_CASES: readonly AcpCase[] = [
  {
    rule: '1',
    run: (world) =>
      world.started(async (peer) => {
        peer.write('{not json')
        expectEqual(errorCode(await errorWithoutId(peer)), -32700, 'code')
      }),
  },
  {
    rule: '2',
    run: (world) =>
      world.started(async (peer) => {
        peer.write('[{"jsonrpc":"2.0","id":1,"method":"initialize"}]')
        expectEqual(errorCode(await errorWithoutId(peer)), -32600, 'code')
      }),
  },
  {
    rule: '4',
    run: (world) =>
      world.started(async (peer) => {
        peer.write('{"id":41,"method":"initialize","params":{}}')
        const answer = await peer.until(({ id }) => id === 41, 'an answer with the id')
        expectEqual(errorCode(answer), -32600, 'code')
      }),
  },
  {
    rule: '6',
    run: (world) =>
      world.started(async (peer) => {
        peer.write('')
        peer.write(
          '{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}\r',
        )
        await peer.until(({ id, result }) => id === 5 && result !== undefined, 'the answer')
      }),
  },
  {
    rule: '8',
    run: (world) =>
      world.initialized(async (peer) => {
        peer.send({ method: 'no/such_notification' })
        expectEqual(errorCode(await peer.request('no/such_method', {})), -32601, 'code')
        expectEqual(peer.frames.filter(({ error }) => error !== undefined).length, 1, 'errors')
      }),
  },
  {
    rule: '10',
    async run(world) {
      const { peer } = await world.prompt('say hi')
      expectEqual(peer.noise, [], 'lines that are not JSON objects')
    },
  },
  {
    rule: '11',
    isScripted: true,
    async run(world) {
      const said = 'naïve 🙂 你好'
      expectEqual(chunks((await world.prompt(`say ${said}`)).peer, 'agent_message_chunk'), said, 'text')
    },
  },
  {
    rule: '12',
    run: (world) =>
      world.started(async (peer) => {
        peer.send({ id: 'unknown', result: {} })
        const answer = await peer.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
        expectEqual([answer['error'], peer.frames.length], [undefined, 1], 'error and number of frames')
      }),
  },
  {
    rule: '13',
    run: (world) =>
      world.started(async (peer) => {
        await peer.request('initialize', { protocolVersion: 1, clientCapabilities: {} }, 'text-id')
        expectEqual(
          peer.frames.map(({ id }) => id),
          ['text-id'],
          'ids',
        )
      }),
  },
  {
    rule: '16',
    run: (world) =>
      world.started(async (peer) => {
        const answer = await peer.request('session/new', { cwd: world.cwd, mcpServers: [] })
        expectEqual(errorCode(answer), -32002, 'code')
        expectEqual(asObject(asObject(answer['error'])['data'])['reason'], 'not_initialized', 'data.reason')
      }),
  },
  { rule: '19', run: (world) => refusesInitialize(world, [{ protocolVersion: true, clientCapabilities: {} }]) },
  {
    rule: '20',
    run: (world) =>
      refusesInitialize(
        world,
        ['1', 1.5, null, undefined].map((protocolVersion) => ({ protocolVersion, clientCapabilities: {} })),
      ),
  },
  {
    rule: '21',
    run: (world) =>
      world.initialized(async (_, result) => expectEqual(result['protocolVersion'], 1, 'protocolVersion')),
  },
  {
    rule: '22',
    run: (world) =>
      world.started(async (peer) => {
        const answer = await peer.request('initialize', { protocolVersion: 99, clientCapabilities: {} })
        expectEqual(asObject(answer['result'])['protocolVersion'], 1, 'protocolVersion')
      }),
  },
  {
    rule: '23',
    run: (world) =>
      refusesInitialize(
        world,
        [[], 'x', null].map((clientCapabilities) => ({ protocolVersion: 1, clientCapabilities })),
      ),
  },
  {
    rule: '26',
    run: (world) =>
      world.initialized(async (_, { agentCapabilities, authMethods, agentInfo }) => {
        expectEqual(asObject(agentCapabilities)['loadSession'], true, 'loadSession')
        expectEqual(authMethods, [], 'authMethods')
        const { name, title, version } = asObject(agentInfo)
        expectThat([name, title, version].every(hasText), 'agentInfo lacks name, title or version')
      }),
  },
  {
    rule: '33',
    run: (world) =>
      world.initialized(async (peer) => {
        const result = asObject((await peer.request('session/new', { cwd: world.cwd, mcpServers: [] }))['result'])
        expectThat(/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(String(result['sessionId'])), 'sessionId is not a UUID')
        expectEqual(asList(asObject(result['modes'])['availableModes']).length, 4, 'number of modes')
      }),
  },
  {
    rule: '35',
    run: (world) =>
      refuses(
        world,
        'session/new',
        ['relative/path', '', 7, '/no/such/directory'].map((cwd) => ({ cwd, mcpServers: [] })),
      ),
  },
  {
    rule: '36',
    run: (world) => refuses(world, 'session/new', [{ cwd: world.cwd }, { cwd: world.cwd, mcpServers: {} }]),
  },
  {
    rule: '38',
    run: (world) =>
      refuses(world, 'session/new', [{ cwd: world.cwd, mcpServers: [{ name: 'x', type: 'tcp', url: 'tcp://x' }] }]),
  },
  {
    rule: '45',
    run: (world) =>
      world.inSession(async (peer) => {
        const first = peer.frames.findIndex(({ method }) => method === 'session/update')
        const answered = peer.frames.findIndex(({ result }) => 'sessionId' in asObject(result))
        expectThat(first === -1 || first > answered, 'an update came before the answer')
      }),
  },
  { rule: '70', run: (world) => refuses(world, 'session/prompt', [{ prompt: [] }, {}, { prompt: 'text' }]) },
  {
    rule: '71',
    run: (world) =>
      refuses(world, 'session/prompt', [{ prompt: ['x'] }, { prompt: [{}] }, { prompt: [{ type: 'smell' }] }]),
  },
  {
    rule: '72',
    run: (world) =>
      refuses(world, 'session/prompt', [{ prompt: [{ type: 'text' }] }, { prompt: [{ type: 'text', text: 7 }] }]),
  },
  {
    rule: '76',
    run: (world) =>
      world.initialized(async (peer) => {
        const answer = await peer.request('session/prompt', {
          sessionId: UNKNOWN,
          prompt: [{ type: 'text', text: 'hi' }],
        })
        expectThat([-32002, -32602].includes(Number(errorCode(answer))), `the code is ${String(errorCode(answer))}`)
      }),
  },
  {
    rule: '79',
    async run(world) {
      const { answer } = await world.prompt('say hi')
      const { stopReason } = asObject(answer['result'])
      expectThat(STOP_REASONS.includes(String(stopReason)), `the stopReason is ${String(stopReason)}`)
    },
  },
  {
    rule: '80',
    isScripted: true,
    async run(world) {
      const { answer } = await world.prompt('say a\nstop max_tokens')
      expectEqual(asObject(answer['result'])['stopReason'], 'max_tokens', 'stopReason')
    },
  },
  {
    rule: '81',
    isScripted: true,
    async run(world) {
      await world.inSession(async (peer, sessionId) => {
        const ask = (text: string) => peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
        expectEqual(errorCode(await ask('fail')), -32603, 'code')
        expectEqual(asObject((await ask('say hi'))['result'])['stopReason'], 'end_turn', 'the next prompt')
      })
    },
  },
  {
    rule: '82',
    isScripted: true,
    async run(world) {
      const { peer } = await world.prompt('say one two three')
      expectEqual(chunks(peer, 'agent_message_chunk'), 'one two three', 'joined chunks')
    },
  },
  {
    rule: '82a',
    isScripted: true,
    async run(world) {
      const { peer } = await world.prompt('think hm well\nsay hi')
      expectEqual(chunks(peer, 'agent_thought_chunk'), 'hm well', 'joined thoughts')
    },
  },
  {
    rule: '84',
    isScripted: true,
    async run(world) {
      const { peer } = await world.prompt('call c1 echo {"msg":"hi"}')
      const told = peer.updates().filter(({ toolCallId }) => toolCallId !== undefined)
      needs(told.length > 0, 'the agent called nothing')
      expectEqual([told[0]?.['sessionUpdate'], told[0]?.['status']], ['tool_call', 'pending'], 'the first update')
    },
  },
  {
    rule: '85',
    isScripted: true,
    async run(world) {
      const { peer } = await world.prompt('call c1 echo {"msg":"hi"}')
      const ends = peer.updates().filter(({ status }) => status === 'completed' || status === 'failed')
      needs(
        peer.updates().some(({ sessionUpdate }) => sessionUpdate === 'tool_call'),
        'the agent called nothing',
      )
      expectEqual(ends.length, 1, 'ends of the call')
    },
  },
  {
    rule: '103',
    isScripted: true,
    run: (world) =>
      world.inSession(async (peer, sessionId) => {
        const answer = peer.request('session/prompt', {
          sessionId,
          prompt: [{ type: 'text', text: 'say a\nsleep 15000' }],
        })
        await peer.until(
          ({ method, params }) => method === 'session/update' && JSON.stringify(params).includes('agent_message_chunk'),
          'text',
        )
        peer.send({ method: 'session/cancel', params: { sessionId } })
        expectEqual(asObject((await answer)['result'])['stopReason'], 'cancelled', 'stopReason')
      }),
  },
]

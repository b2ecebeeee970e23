// Frames that no client should send. What is wrong with each is known, and so is what may be answered.
import { createSeededRandom } from '../../storage-faults/seeded-random.ts'

export interface MalformedFrame {
  readonly what: string
  readonly bytes: Buffer
}

type Random = ReturnType<typeof createSeededRandom>

const IDS = [
  'null',
  '1',
  '-1',
  '1.5',
  '1e400',
  '"x"',
  '""',
  '[]',
  '{}',
  'true',
  `"${'i'.repeat(10_000)}"`,
  '9007199254740993',
]
const METHODS = [
  'initialize',
  'authenticate',
  'session/new',
  'session/load',
  'session/resume',
  'session/list',
  'session/close',
  'session/delete',
  'session/prompt',
  'session/cancel',
  'session/set_mode',
  'session/set_config_option',
  '_agentao.cn/set_model',
  'session/unknown',
  '_nobody/knows',
  '__proto__',
  'constructor',
  '',
]
const PARAMS = [
  'null',
  '[]',
  '1',
  '"text"',
  'true',
  '{}',
  '{"sessionId":1}',
  '{"sessionId":""}',
  '{"sessionId":"no-such"}',
  '{"sessionId":{"a":1},"prompt":[{}]}',
  '{"sessionId":"x","prompt":"text"}',
  '{"cwd":7,"mcpServers":{}}',
  '{"cwd":"relative","mcpServers":[]}',
  '{"cwd":"/","mcpServers":[{"name":""}]}',
  '{"cwd":"/no/such/place","mcpServers":[1,null,[]]}',
  '{"protocolVersion":"1"}',
  '{"protocolVersion":1,"clientCapabilities":[]}',
  '{"__proto__":{"sessionId":"x"},"constructor":1}',
  '{"cursor":"bogus"}',
  '{"cursor":{}}',
  `{"a":${'['.repeat(200)}${']'.repeat(200)}}`,
  `{"sessionId":"${'s'.repeat(100_000)}"}`,
  '{"sessionId":"\\ud800","modeId":"\\udfff"}',
]

type Maker = (random: Random) => string | Buffer

const pick = <T>(random: Random, from: readonly T[]): T => from[random.int(from.length)] as T

const MAKERS: Readonly<Record<string, Maker>> = {
  'wrong version': (r) =>
    `{"jsonrpc":${pick(r, ['"1.0"', '2', 'null', '"2"', '[]'])},"id":${pick(r, IDS)},"method":"session/list","params":{}}`,
  'no version': (r) => `{"id":${pick(r, IDS)},"method":"${pick(r, METHODS)}"}`,
  'odd id': (r) => `{"jsonrpc":"2.0","id":${pick(r, IDS)},"method":"session/nothing","params":{}}`,
  'same id twice': () => '{"jsonrpc":"2.0","id":7,"id":8,"method":"session/nothing"}',
  'no method': (r) => `{"jsonrpc":"2.0","id":${pick(r, IDS)}}`,
  'method of a wrong type': (r) =>
    `{"jsonrpc":"2.0","id":1,"method":${pick(r, ['1', 'null', '{}', '[]', 'true', '""'])}}`,
  batch: (r) =>
    pick(r, ['[]', '[[]]', '[1,2]', '[{"jsonrpc":"2.0","id":1,"method":"session/list"}]', `[${'{},'.repeat(999)}{}]`]),
  'not an object': (r) => pick(r, ['1', '"x"', 'null', 'true', '-0', '1e999']),
  'not JSON': (r) =>
    pick(r, [
      '{',
      '}',
      '{"jsonrpc":"2.0",',
      'hello',
      "{'a':1}",
      '{"a":undefined}',
      '{"a":NaN}',
      '\u0000',
      '\\',
      '{"jsonrpc":"2.0"}}',
    ]),
  'wrong parameters': (r) => `{"jsonrpc":"2.0","id":"p","method":"${pick(r, METHODS)}","params":${pick(r, PARAMS)}}`,
  'notification of a request': (r) => `{"jsonrpc":"2.0","method":"${pick(r, METHODS)}","params":${pick(r, PARAMS)}}`,
  'answer to nothing': (r) =>
    `{"jsonrpc":"2.0","id":${pick(r, IDS)},${pick(r, ['"result":{}', '"error":{"code":1,"message":"x"}', '"result":null,"error":null', '"error":"x"'])}}`,
  'cancel of nothing': (r) =>
    `{"jsonrpc":"2.0","method":"$/cancel_request","params":${pick(r, ['{}', '{"requestId":999}', '{"requestId":{}}', 'null'])}}`,
  'byte order mark': () => '\ufeff{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}',
  'invalid UTF-8': (r) =>
    Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
      Buffer.from(pick(r, [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf8]])),
      Buffer.from('"}'),
    ]),
  'lone surrogate': () => '{"jsonrpc":"2.0","id":"\\ud83d","method":"session/\\udc00"}',
  'NUL in it': () => '{"jsonrpc":"2.0","id":1,"method":"session/list\\u0000","params":{}}',
  'nested deep': (r) => '{"a":'.repeat(10 ** (1 + r.int(4))),
  'random bytes': (r) =>
    Buffer.from(Array.from({ length: 1 + r.int(60) }, () => r.int(256)).filter((byte) => byte !== 10)),
}

export function createMalformedFrames(seed: string, count: number): readonly MalformedFrame[] {
  const random = createSeededRandom(seed)
  const kinds = Object.entries(MAKERS)
  return Array.from({ length: count }, (_, index) => {
    const [what, make] = kinds[index % kinds.length] as (typeof kinds)[number]
    return { what, bytes: Buffer.concat([Buffer.from(make(random)), Buffer.from('\n')]) }
  })
}

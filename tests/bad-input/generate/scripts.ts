// Requests that are in order, whose text makes the model say and call what no model should.
import type { Generator, Scene } from '../bad-input.ts'
import {
  FORGED_LINES,
  INHERITED_NAMES,
  POLLUTED_OBJECTS,
  STRANGE_NUMBERS,
  STRANGE_STRINGS,
  digits,
  manyKeys,
  nested,
} from '../hostile-values.ts'
import { toInput } from '../http-text.ts'
import { writeJson } from '../json-text.ts'
import type { Random } from '../random.ts'

const CALL_IDS = [
  'c1',
  'c1',
  'ask_1',
  'x'.repeat(65),
  '"',
  'é',
  '\ud83d\ude00',
  '../c',
  'a:b',
  '<b>',
  ...INHERITED_NAMES,
]
const TOOLS = ['echo', 'boom', 'hidden', 'slow', 'weather', 'no-such-tool', '\u202eohce', 'ECHO', ...INHERITED_NAMES]

/** Session options and tools as a client gives them. */
const ACCESS = { tools: [{ name: 'echo', trust: true }, { name: 'boom', trust: true }, { name: 'slow' }] }

export const generateScript: Generator = (turn, random, scene) => {
  const stream = random.pick(['delta', 'message', 'none'])
  const messages = [{ role: 'user', content: writeScript(random) }]
  const create = turn % 3 === 0
  const version = turn % 2 === 0 ? 3 : 1
  return toInput(scene, {
    kind: `script/${create ? 'v1 create' : `v${version} turn`}/${JSON.stringify(messages[0]?.content.slice(0, 60))}`,
    method: create ? 'PUT' : 'POST',
    path: create ? '/aap/v1/session' : turnPath(version, scene),
    body: JSON.stringify(
      create
        ? { agent: { name: 'scripted', ...ACCESS }, messages, tools: clientTools('inputSchema', random), stream }
        : { agent: ACCESS, messages, tools: clientTools(version === 3 ? 'parameters' : 'inputSchema', random), stream },
    ),
  })
}

function turnPath(version: 1 | 3, { sessionId }: Scene): string {
  return version === 3 ? `/aap/v3/sessions/${sessionId}/turns` : `/aap/v1/session/${sessionId}`
}

function writeScript(random: Random): string {
  const lines = Array.from({ length: 1 + random.int(4) }, () => writeLine(random))
  return random.chance(0.5) ? `${lines.join('\n')}\n---\nsay done` : lines.join('\n')
}

function writeLine(random: Random): string {
  switch (random.int(8)) {
    case 0:
      return `say ${random.pick(STRANGE_STRINGS)}`
    case 1:
      return `think ${random.pick(FORGED_LINES)}`
    case 2:
      return random.pick([
        'fail',
        'nostop',
        'overflow',
        'stop refusal',
        'stop max_tokens',
        'tokens 3',
        'tokens -1',
        'stop',
      ])
    case 3:
      // Not `messages`: said again and again, they grow without end by the doing of this model alone.
      return `show ${random.pick(['options', 'tools', 'system', '__proto__'])}`
    case 4:
      return `call ${random.pick(CALL_IDS)} ${random.pick(TOOLS)}`
    case 5:
      return `call c${random.int(3)} echo ${JSON.stringify({ msg: random.pick(STRANGE_STRINGS) })}`
    default:
      return `call ${random.pick(CALL_IDS)} ${random.pick(TOOLS)} ${callInput(random)}`
  }
}

/** What a model may write for a call: JSON of any shape, or no JSON. On one line. */
function callInput(random: Random): string {
  switch (random.int(9)) {
    case 0:
      return random.pick([
        '{',
        '{"msg":',
        'null',
        '[]',
        '"text"',
        '1',
        'true',
        '{"msg":"a"}}',
        "{'msg':1}",
        '[[',
        '\u2028',
      ])
    case 1:
      return random.pick(POLLUTED_OBJECTS).text
    case 2:
      return `{"msg":${nested(20 + random.int(40), random.pick(['list', 'object']))}}`
    case 3:
      return `{"msg":${nested(random.pick([65, 70, 500]), random.pick(['list', 'object']))}}`
    case 4:
      return `{"msg":${writeJson(random.pick(STRANGE_NUMBERS))},"ms":${writeJson(random.pick(STRANGE_NUMBERS))}}`
    case 5:
      return `{"msg":"a","msg":{},"__proto__":{"msg":"b"}}`
    case 6:
      return manyKeys(random.pick([10, 2000]))
    case 7:
      return `{"msg":"\\ud800\\u0000\\u2028"}`
    default:
      return `{"msg":${digits(5000, random)}}`
  }
}

function clientTools(key: 'parameters' | 'inputSchema', random: Random): readonly unknown[] {
  const name = random.chance(0.5) ? 'weather' : `tool${random.pick(STRANGE_STRINGS)}`
  const schema = random.pick([
    {},
    { type: 5 },
    { $ref: '#' },
    { $ref: '__proto__' },
    { properties: { a: { $ref: '#/properties/a' } } },
    { enum: [] },
    { pattern: '(a+)+$' },
  ])
  return [{ name, description: random.pick(STRANGE_STRINGS), [key]: schema }]
}

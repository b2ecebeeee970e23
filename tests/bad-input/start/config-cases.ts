// Every key of a configuration, missing, of another type, hostile, or one that nobody knows.
import { DROPPED, type JsonPath, pathsOf, raw, replaceAt, writeJson } from '../json-text.ts'
import { nested } from '../hostile-values.ts'
import { EXIT_CONFIG, type StartExpectation } from './judge-start.ts'
import type { StartAttempt } from './try-start.ts'

export interface StartCase {
  readonly name: string
  readonly attempt: StartAttempt
  readonly expected: StartExpectation
}

const FILE = 'polylogue.config.json'

/** One that is in order, with every key that JSON can say. */
const CONFIG = {
  agents: [
    {
      name: 'helper',
      title: 'Helper',
      version: '1.2.3',
      description: 'Helps.',
      instructions: 'Help.',
      model: 'scripted',
      modelName: 'a/b',
      tools: [],
      options: [
        { type: 'text', name: 'language', title: 'Language', description: 'Which', default: 'English' },
        { type: 'secret', name: 'apiKey' },
        { type: 'select', name: 'size', choices: ['small', 'large'], default: 'large' },
      ],
      features: { histories: ['full'], streams: ['delta', 'none'], clientTools: true, images: ['data'] },
      maxSteps: 5,
    },
  ],
  tools: [],
  defaultAgent: 'helper',
  defaultModel: 'demo',
  providers: {
    local: {
      kind: 'openai-compatible',
      baseUrl: 'http://127.0.0.1:9/v1',
      apiKey: 'sk-local-0123456789',
      apiKeyEnv: 'LOCAL_KEY',
      model: 'tiny',
      thinking: 'low',
      maxOutputTokens: 100,
      images: false,
      deadlines: { firstByteMs: 1000, idleMs: 1000, totalMs: 5000 },
    },
  },
  recovery: 'interrupt',
  limits: {
    maxSteps: 10,
    queuedInputs: 8,
    streamsPerKey: 100,
    streams: 1000,
    requestsPerKeyPerMinute: 1000,
    promptsPerUserPerMinute: 1000,
    runningTurnsPerUser: 10,
    unauthenticatedSockets: 64,
    loopback: 'counted',
    requestBytes: 1000,
    imageRequestBytes: 1000,
    jsonDepth: 64,
    jsonKeys: 1000,
    jsonStringLength: 1000,
    promptLength: 1000,
    outBufferBytes: 1000,
  },
  allowOrigins: ['https://app.example'],
  publicUrl: 'https://agents.example',
  trustedProxies: ['10.0.0.0/8'],
}

/** Without these an agent or an option is none. */
const NEEDED = /^(?:agents\.\d+\.(?:name|instructions)|agents\.\d+\.options\.\d+\.(?:type|name|choices))$/

export const VALID_CONFIG: StartCase = {
  name: 'everything in order',
  attempt: { files: { [FILE]: writeJson(CONFIG) } },
  expected: { ends: ['starts'] },
}

export function listConfigCases(): readonly StartCase[] {
  return pathsOf(CONFIG).flatMap((path) => [...casesAt(path)])
}

function* casesAt(path: JsonPath): Generator<StartCase> {
  const value = path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], CONFIG)
  const place = path.join('.')
  const field = String(path.findLast((key) => typeof key === 'string') ?? '')
  const refused: StartExpectation = { ends: [EXIT_CONFIG], names: [FILE, field] }
  const either: StartExpectation = { ends: ['starts', EXIT_CONFIG], names: [FILE] }
  const spoil = (name: string, change: (old: unknown) => unknown, expected: StartExpectation): StartCase => ({
    name: `${place || 'all of it'}: ${name}`,
    attempt: { files: { [FILE]: writeJson(replaceAt(CONFIG, path, change)) } },
    expected,
  })
  if (path.length > 0) yield spoil('missing', () => DROPPED, NEEDED.test(place) ? refused : either)
  yield spoil('null', () => null, refused)
  yield spoil('another type', () => otherType(value), refused)
  yield spoil('deep', () => raw(nested(5000, 'list')), refused)
  yield spoil('hostile', () => hostileTwin(value), either)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const isMap = place === 'providers'
  yield spoil(
    'an unknown key',
    (old) => ({ ...(old as object), unknownKey: 1 }),
    isMap ? either : { ...refused, names: [FILE, 'unknownKey'] },
  )
  yield spoil('a key __proto__', (old) => raw(`{"__proto__":{"polluted":"yes"},${writeJson(old).slice(1)}`), either)
}

function otherType(value: unknown): unknown {
  if (typeof value === 'string') return 5
  if (typeof value === 'number') return 'five'
  if (typeof value === 'boolean') return 'yes'
  return Array.isArray(value) ? { 0: 'a' } : 'text'
}

/** Of the right type, and nothing that anybody would write. */
function hostileTwin(value: unknown): unknown {
  if (typeof value === 'string') return '\u0000\r\npolylogue: forged\u001b[2J\u2028'.repeat(100)
  if (typeof value === 'number') return raw('1e999')
  if (Array.isArray(value)) return Array.from({ length: 1000 }, () => value[0] ?? 'x')
  return value
}

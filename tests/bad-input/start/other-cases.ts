// Flags, environment and files that no server should start with, or only as closed as ever.
import { EXIT_CONFIG, EXIT_FAILURE, EXIT_USAGE } from './judge-start.ts'
import type { StartCase } from './config-cases.ts'
import type { StartAttempt } from './try-start.ts'

const FILE = 'polylogue.config.json'
const HOSTILE = 'a\r\npolylogue: forged\u001b[2J'
const PASSWORD = 'hunter2-0123456789'

const flags = (given: readonly string[], ends: StartCase['expected']['ends'], ...names: string[]): StartCase => ({
  name: JSON.stringify(given).slice(0, 80),
  attempt: { flags: given },
  expected: { ends, names, hides: [PASSWORD] },
})

const FLAGS: readonly StartCase[] = [
  flags(['--port', 'http'], [EXIT_USAGE], '--port'),
  flags(['--port', '-1'], [EXIT_USAGE], '--port'),
  flags(['--port', '65536'], [EXIT_USAGE], '--port'),
  flags(['--port', '1e3'], [EXIT_USAGE], '--port'),
  flags(['--port'], [EXIT_USAGE], '--port'),
  flags(['--host', 'no.such.host.invalid'], [EXIT_FAILURE], 'no.such.host.invalid'),
  flags(['--host', '300.1.2.3'], [EXIT_FAILURE], '300.1.2.3'),
  flags(['--host', HOSTILE], [EXIT_FAILURE, EXIT_CONFIG]),
  flags(['--host', '0.0.0.0', '--key', 'short'], [EXIT_CONFIG], '--key'),
  flags(['--key', ''], [EXIT_CONFIG], '--key'),
  flags(['--key', 'two words'], [EXIT_CONFIG], '--key'),
  flags(['--key', HOSTILE], [EXIT_CONFIG], '--key'),
  flags(['--key', 'x'.repeat(513)], [EXIT_CONFIG], '--key'),
  flags(['--key', 'schlüssel-0123456789'], [EXIT_CONFIG], '--key'),
  flags(['--database', ''], [EXIT_CONFIG], '--database'),
  flags(['--database', 'sqlite:'], [EXIT_CONFIG], '--database'),
  flags(['--database', `mysql://me:${PASSWORD}@127.0.0.1/x`], [EXIT_CONFIG], '--database'),
  flags(['--database', `postgres://me:${PASSWORD}@127.0.0.1:1/x`], [EXIT_CONFIG, EXIT_FAILURE]),
  flags(['--database', 'sqlite:.'], [EXIT_CONFIG, EXIT_FAILURE]),
  flags(['--config', 'missing.json'], [EXIT_CONFIG], 'missing.json'),
  flags(['--config', '.'], [EXIT_CONFIG]),
  flags(['--config', '/dev/zero'], [EXIT_CONFIG], '/dev/zero'),
  flags(['--config', HOSTILE], [EXIT_CONFIG]),
  flags(['--public-url', 'agents.example'], [EXIT_CONFIG], '--public-url'),
  flags(['--public-url', 'javascript:alert(1)'], [EXIT_CONFIG], '--public-url'),
  flags(['--public-url', `https://me:${PASSWORD}@agents.example`], [EXIT_CONFIG], '--public-url'),
  flags(['--public-url', HOSTILE], [EXIT_CONFIG], '--public-url'),
  flags(['--allow-origin', '*'], [EXIT_CONFIG], '--allow-origin'),
  flags(['--allow-origin', 'null'], [EXIT_CONFIG], '--allow-origin'),
  flags(['--allow-origin', 'file:///'], [EXIT_CONFIG], '--allow-origin'),
  flags(['--data', '/dev/null'], [EXIT_CONFIG], '/dev/null'),
  flags(['--data', '/proc/nowhere'], [EXIT_CONFIG], '/proc/nowhere'),
  flags(['--data', '/'], [EXIT_CONFIG], ' / '),
  flags(['--no-such-flag'], [EXIT_USAGE], '--no-such-flag'),
  flags(['surplus'], [EXIT_USAGE]),
]

/** How a start may end, and what its message must name. */
type Expected = readonly [ends: StartCase['expected']['ends'], ...names: string[]]

const environment = (name: string, value: string, [ends, ...names]: Expected): StartCase => ({
  name: `${name}=${JSON.stringify(value).slice(0, 60)}`,
  attempt: { environment: { [name]: value } },
  expected: { ends, names },
})

const ENVIRONMENT: readonly StartCase[] = [
  environment('POLYLOGUE_LOG', 'everything', [['starts', EXIT_CONFIG]]),
  environment('POLYLOGUE_LOG', HOSTILE, [['starts', EXIT_CONFIG]]),
  environment('POLYLOGUE_MODEL', 'nonsense', [[EXIT_CONFIG], 'POLYLOGUE_MODEL']),
  environment('POLYLOGUE_MODEL', 'no-such-provider/model', [[EXIT_CONFIG], 'POLYLOGUE_MODEL']),
  environment('POLYLOGUE_MODEL', HOSTILE, [[EXIT_CONFIG], 'POLYLOGUE_MODEL']),
  environment('POLYLOGUE_MODEL', '__proto__/model', [[EXIT_CONFIG], 'POLYLOGUE_MODEL']),
  environment('POLYLOGUE_MODEL', '', [['starts', EXIT_CONFIG]]),
  environment('POLYLOGUE_DATA', HOSTILE, [['starts', EXIT_CONFIG]]),
  environment('POLYLOGUE_FAILPOINTS', HOSTILE, [['starts', EXIT_CONFIG, EXIT_FAILURE]]),
  environment('ANTHROPIC_API_KEY', HOSTILE, [['starts', EXIT_CONFIG]]),
  environment('OPENAI_API_KEY', '\u00ff\u0001', [['starts', EXIT_CONFIG]]),
  environment('HOME', '/nowhere', [['starts']]),
]

const files = (name: string, given: NonNullable<StartAttempt['files']>, [ends, ...names]: Expected): StartCase => ({
  name,
  attempt: { files: given },
  expected: { ends, names, hides: [PASSWORD] },
})

const config = (name: string, text: string | Uint8Array): StartCase =>
  files(name, { [FILE]: text }, [[EXIT_CONFIG], FILE])
const agent = (name: string, text: string): StartCase =>
  files(name, { 'agents/a.md': text }, [[EXIT_CONFIG], 'agents/a.md'])

/** Ten thousand million strings, if somebody follows all of them. */
const LAUGHS = Array.from(
  { length: 10 },
  (_, level) =>
    `l${level}: &l${level} [${
      level === 0
        ? 'lol'
        : Array(10)
            .fill(`*l${level - 1}`)
            .join()
    }]`,
)

const FILES: readonly StartCase[] = [
  config('an empty file', ''),
  config('half a file', '{"agents":'),
  config('no object', '[]'),
  config('a text', '"polylogue"'),
  config('null', 'null'),
  config('with a comment', '{} // comment'),
  config('no UTF-8', Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d)),
  config('UTF-16', Buffer.from('\ufeff{}', 'utf16le')),
  config('2 MiB', `{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`),
  config('200,000 levels', `${'['.repeat(200_000)}${']'.repeat(200_000)}`),
  config('a secret in the wrong place', `{"apiKey":"${PASSWORD}","limits":{"maxSteps":"${PASSWORD}"}}`),
  files('two of them', { [FILE]: '{}', 'polylogue.config.js': 'export default {}' }, [[EXIT_CONFIG], FILE]),
  files('one that throws', { 'polylogue.config.js': 'throw new Error("no\\nway")' }, [
    [EXIT_CONFIG],
    'polylogue.config.js',
  ]),
  files('one that throws nothing', { 'polylogue.config.js': 'throw undefined' }, [
    [EXIT_CONFIG],
    'polylogue.config.js',
  ]),
  files('one with a syntax error', { 'polylogue.config.ts': 'export default {{' }, [
    [EXIT_CONFIG],
    'polylogue.config.ts',
  ]),
  files('one that exports nothing', { 'polylogue.config.ts': 'export const a = 1' }, [
    [EXIT_CONFIG],
    'polylogue.config.ts',
  ]),
  files('one that exports a function', { 'polylogue.config.js': 'export default () => ({})' }, [
    [EXIT_CONFIG],
    'polylogue.config.js',
  ]),
  files('one that imports nothing known', { 'polylogue.config.js': 'import "no-such-package"; export default {}' }, [
    [EXIT_CONFIG],
    'polylogue.config.js',
  ]),
  agent('an agent without front matter', 'Be kind.'),
  agent('an agent without an end of it', '---\nmodel: demo\nBe kind.'),
  agent('an agent without instructions', '---\nmodel: demo\n---\n'),
  agent('an agent whose front matter is a list', '---\n- a\n---\nBe kind.'),
  agent('an agent with broken YAML', '---\nmodel: [\n---\nBe kind.'),
  agent('an agent with an unknown key', '---\nmodel: demo\nspeed: 5\n---\nBe kind.'),
  agent('an agent with a YAML bomb', `---\n${LAUGHS.join('\n')}\n---\nBe kind.`),
  agent('an agent with a YAML tag', '---\nmodel: !!js/function "function () {}"\n---\nBe kind.'),
  agent('an agent that merges a prototype', '---\n__proto__: { model: demo }\n---\nBe kind.'),
  files('an agent with a bad name', { 'agents/a b.md': '---\nmodel: demo\n---\nBe kind.' }, [
    [EXIT_CONFIG],
    'agents/a b.md',
  ]),
  files('a secret key that others can read', { 'data/secret.key': { text: `${'A'.repeat(43)}\n`, mode: 0o644 } }, [
    [EXIT_CONFIG],
    'secret.key',
  ]),
  files('a damaged secret key', { 'data/secret.key': { text: `${PASSWORD}\n`, mode: 0o600 } }, [
    [EXIT_CONFIG],
    'secret.key',
  ]),
  files('an empty secret key', { 'data/secret.key': { text: '', mode: 0o600 } }, [[EXIT_CONFIG], 'secret.key']),
  files('a local key that others can read', { 'data/local.key': { text: `${PASSWORD}\n`, mode: 0o644 } }, [
    [EXIT_CONFIG],
    'local.key',
  ]),
  files('a damaged local key', { 'data/local.key': { text: '\u0000\u0001', mode: 0o600 } }, [['starts', EXIT_CONFIG]]),
  files('a database that is none', { 'data/polylogue.db': { text: PASSWORD.repeat(1000), mode: 0o600 } }, [
    [EXIT_FAILURE],
    'polylogue.db',
  ]),
  files('a database that is empty', { 'data/polylogue.db': { text: '', mode: 0o600 } }, [['starts', EXIT_FAILURE]]),
]

export const OTHER_CASES: readonly StartCase[] = [...FLAGS, ...ENVIRONMENT, ...FILES]

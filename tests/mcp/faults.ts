// What servers do wrong, and what is to be seen of it here. Each is played in a world of its own, beside a server that
// is well.
import { setTimeout as delay } from 'node:timers/promises'
import type { McpHold } from '@polylogue/tools'
import { callCancellable, callTool, problemOf, type McpWorld } from './mcp-world.ts'

export interface Fault {
  readonly name: string
  /** What is wrong with how it went; `undefined` when all is as it must be. */
  play(world: McpWorld): Promise<string | undefined>
}

const ECHO = 'mcp_bad_echo'
/** In which a fault must show that does not wait for a deadline. */
const SOON_MS = 15_000

const CONNECT_FAULTS: readonly (readonly [string, RegExp])[] = [
  ['exit-at-once', /^it ended with exit code 1$/],
  ['exit-in-initialize', /^it ended with exit code 3: the key \*\*\* is wrong$/],
  ['wrong-version', /1999-01-01/],
  ['refuse-initialize', /come back tomorrow/],
  ['malformed-initialize', /./],
  ['endless-pages', /more than 64 pages/],
]

const CALL_FAULTS: readonly (readonly [string, RegExp])[] = [
  ['exit-in-call', /^MCP server bad: it ended with exit code 5.* Whether the call had an effect is unknown\.$/],
  ['killed-in-call', /^MCP server bad: it was ended by SIGKILL/],
  ['half-an-answer', /^MCP server bad: it ended/],
  ['closed-output', /^MCP server bad: it ended/],
  ['strange-result', /content/],
  ['error-answer', /no such thing/],
  ['huge-line', /^MCP server bad: it sent a message larger than 16777216 bytes/],
  ['many-keys', /^MCP server bad: it sent a message with more than 50000 keys/],
  ['many-values', /^MCP server bad: it sent a message with more than 500000 values/],
  ['large-notification-flood', /^MCP server bad: it sent more than 5000 messages in 5 s/],
  ['endless-line', /^MCP server bad: it sent a message larger than 16777216 bytes/],
  ['deep-answer', /nested more than 64 deep/],
  ['notification-flood', /^MCP server bad: it sent more than 5000 messages/],
  ['request-flood', /^MCP server bad: it sent more than 5000 messages/],
  ['answer-flood', /^MCP server bad: it sent more than 5000 messages/],
  ['noise-flood', /^MCP server bad: it sent more than 5000 messages/],
]

const WAITING_FAULTS = ['silent-call', 'wrong-ids', 'closed-input']

const FORGIVEN = ['noise', 'answers-twice', 'error-flood', 'restless-list', 'stubborn', 'hostile-tools']

const hold = async (world: McpWorld, fault: string, deadlineMs?: number): Promise<McpHold> => {
  const held = world.pool.hold([world.misbehaving(fault, deadlineMs === undefined ? {} : { deadlineMs })])
  await soon(held.settled(), 'it never settled')
  return held
}

export const FAULTS: readonly Fault[] = [
  ...CONNECT_FAULTS.map(([name, expected]): Fault => ({
    name,
    async play(world) {
      const [health] = (await hold(world, name)).health()
      if (health?.state !== 'failed') return `it is ${health?.state}`
      return expected.test(health.lastError ?? '') ? undefined : `it says: ${health.lastError}`
    },
  })),
  ...CALL_FAULTS.map(([name, expected]): Fault => ({
    name,
    async play(world) {
      const held = await hold(world, name)
      const problem = await soon(problemOf(callTool(held, ECHO, { msg: 'x' })), 'the call never ended')
      return expected.test(problem) ? undefined : `it says: ${problem}`
    },
  })),
  ...WAITING_FAULTS.map((name): Fault => ({
    name: `${name}, until its deadline`,
    async play(world) {
      const held = await hold(world, name, 300)
      const problem = await soon(problemOf(callTool(held, ECHO, { msg: 'x' })), 'the call never ended')
      return /did not answer within 0\.3 s|closed its input/.test(problem) ? undefined : `it says: ${problem}`
    },
  })),
  ...FORGIVEN.map((name): Fault => ({
    name: `${name}, forgiven`,
    async play(world) {
      const held = await hold(world, name)
      const { content } = await soon(callTool(held, ECHO, { msg: 'well' }), 'the call never ended')
      if (content !== 'well') return `it answers ${JSON.stringify(content)}`
      return held.tools().length === 1 ? undefined : `it has ${held.tools().length} tools`
    },
  })),
  {
    name: 'silent-call, cancelled',
    async play(world) {
      const held = await hold(world, 'silent-call')
      const cancel = new AbortController()
      const call = problemOf(callCancellable(held, ECHO, { input: { msg: 'x' }, signal: cancel.signal }))
      await delay(20)
      cancel.abort('cancel')
      const problem = await soon(call, 'the call never ended')
      return problem === 'cancelled' ? undefined : `it says: ${problem}`
    },
  },
  {
    name: 'rug-pull: what was judged is not what would run',
    async play(world) {
      const held = await hold(world, 'rug-pull')
      const [judged] = held.tools()
      await callTool(held, ECHO, { msg: 'x' })
      await soon(
        untilTools(world, held, (tools) => tools[0]?.definition !== judged?.definition),
        'nothing changed',
      )
      const [changed] = held.tools()
      if (changed?.name !== judged?.name || judged === undefined) return 'its name changed'
      const stale = { ...held, tools: () => [judged] }
      const problem = await problemOf(callTool(stale, ECHO, { msg: 'x' }))
      return /has changed the tool echo meanwhile/.test(problem) ? undefined : `it says: ${problem}`
    },
  },
  {
    name: 'vanishing-tool',
    async play(world) {
      const held = await hold(world, 'vanishing-tool')
      const before = held.tools()
      await callTool(held, ECHO, { msg: 'x' })
      await soon(
        untilTools(world, held, (tools) => tools.length === 0),
        'nothing changed',
      )
      const problem = await problemOf(callTool({ ...held, tools: () => before }, ECHO, { msg: 'x' }))
      return /no longer has the tool echo/.test(problem) ? undefined : `it says: ${problem}`
    },
  },
  {
    name: 'no-tools',
    async play(world) {
      const held = await hold(world, 'no-tools')
      return held.health()[0]?.state === 'ready' && held.tools().length === 0
        ? undefined
        : JSON.stringify(held.health())
    },
  },
  {
    name: 'a program that is not there',
    async play(world) {
      const server = world.misbehaving('')
      const reach = { type: 'stdio', command: `/nowhere/${world.marker}`, args: [], env: {} } as const
      const held = world.pool.hold([{ ...server, reach }])
      await soon(held.settled(), 'it never settled')
      const [health] = held.health()
      return health?.state === 'failed' && /ENOENT/.test(health.lastError ?? '') ? undefined : JSON.stringify(health)
    },
  },
]

function untilTools(
  world: McpWorld,
  held: McpHold,
  isSo: (tools: ReturnType<McpHold['tools']>) => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!isSo(held.tools())) return
      stop()
      resolve()
    }
    const stop = world.pool.onChange(look)
    look()
  })
}

async function soon<Value>(promise: Promise<Value>, otherwise: string): Promise<Value> {
  const waiting = new AbortController()
  const late = delay(SOON_MS, undefined, { signal: waiting.signal }).then(
    () => Promise.reject(new Error(otherwise)),
    () => new Promise<never>(() => {}),
  )
  try {
    return await Promise.race([promise, late])
  } finally {
    waiting.abort()
  }
}

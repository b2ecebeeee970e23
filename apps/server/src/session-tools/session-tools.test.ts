import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { textOf, type CreateSession } from '@polylogue/engine'
import { calls, createFakeTool, finishes, grant, says, startSession, testDigest } from '@polylogue/testkit'
import { createMcpPool, type McpPool } from '@polylogue/tools'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../platform/system-clock.ts'
import type { GivenMcpServer } from './given-mcp-server.ts'
import { createSessionTools, type SessionTools } from './session-tools.ts'

const PROGRAM = join(import.meta.dirname, 'test-support', 'plain-mcp-server.ts')
const SERVER: GivenMcpServer = {
  type: 'stdio',
  name: 'given',
  command: process.execPath,
  args: [PROGRAM, 'echo,picture'],
  env: [],
}
const REVIEW = {
  name: 'review',
  files: [{ path: 'SKILL.md', content: '---\nname: review\ndescription: How to review\n---\nRead it twice.\n' }],
}

let folder: string
let pool: McpPool
let tools: SessionTools
const log = (): void => {}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'polylogue-session-tools-'))
  pool = createMcpPool({ clock: systemClock, digest: testDigest, log, stateDir: folder })
  tools = createSessionTools({
    pool,
    clock: systemClock,
    digest: testDigest,
    configured: [],
    directoryOf: () => Promise.resolve(folder),
    tryConfigured: () => Promise.resolve(),
    learnSecret: log,
    skillsFolder: join(folder, 'skills'),
    skills: [],
    log,
  })
})
afterEach(async () => {
  await pool.close()
  await rm(folder, { recursive: true })
})

async function startWith(preset: CreateSession['preset'] = 'workspace-write') {
  const options = { tools: [createFakeTool('look')], sessionTools: tools.toolsOf }
  const test = await startSession(options, { access: { type: 'preset' }, preset })
  await tools.connectServers({ isRemote: false }).open(test.sessionId, [SERVER], (problem) => {
    throw new Error(problem)
  })
  await tools.skills.add(test.sessionId, REVIEW)
  const offered = () => test.model.requests.at(-1)?.tools.map(({ name }) => name)
  const results = async () =>
    (await test.events()).flatMap((event) =>
      event.type === 'tool-call.settled' ? [`${event.status}: ${textOf(event.output)}`] : [],
    )
  return { ...test, offered, results }
}

describe('the tools of a session, in a turn', () => {
  it('are offered beside the agent’s; those of a server that a client brought are asked about', async () => {
    const test = await startWith()
    test.model.push(
      [calls('a', 'mcp_given_echo', { msg: 'hello' }), calls('b', 'Skill', { name: 'review' }), finishes('tool-calls')],
      [says('done'), finishes()],
    )
    await test.say('go')
    await test.untilRest()
    expect(test.offered()).toEqual(['look', 'mcp_given_echo', 'mcp_given_picture', 'Skill'])
    expect((await test.view()).waitingCalls).toEqual(['a'])
    expect(await test.results()).toEqual(['completed: Read it twice.'])
    await test.answer(grant('a'))
    await test.untilRest()
    expect(await test.results()).toContain('completed: hello')
  })

  it('are judged by the mode: untrusted tools are not offered in read-only modes', async () => {
    const test = await startWith('plan')
    test.model.push([calls('a', 'mcp_given_echo', { msg: 'x' }), finishes('tool-calls')], [says('done'), finishes()])
    await test.say('go')
    await test.untilRest()
    expect(test.offered()).toEqual(['look', 'Skill'])
    expect(await test.results()).toEqual(['denied: Error: the tool mcp_given_echo is not allowed in mode plan'])
  })

  it('bring images to the model', async () => {
    const test = await startWith('full-access')
    test.model.push([calls('a', 'mcp_given_picture'), finishes('tool-calls')], [says('done'), finishes()])
    await test.say('go')
    await test.untilRest()
    const request = test.model.requests.at(-1)
    const content = request?.messages.find(({ role }) => role === 'tool')?.content
    expect(content).toMatchObject([{ type: 'text' }, { type: 'image', source: { mediaType: 'image/png' } }])
    const [, image] = typeof content === 'object' ? content : []
    const hash = image?.type === 'image' && image.source.type === 'blob' ? image.source.hash : ''
    expect((await request?.readBlob(hash))?.length).toBe(70)
  })

  it('are gone when the client has left: a call of one says so, and the turn continues', async () => {
    const test = await startWith('full-access')
    await tools.forget(test.sessionId)
    test.model.push([calls('a', 'mcp_given_echo', { msg: 'x' }), finishes('tool-calls')], [says('done'), finishes()])
    await test.say('go')
    await test.untilRest()
    expect(test.offered()).toEqual(['look'])
    expect(await test.results()).toEqual(['failed: Error: there is no tool called mcp_given_echo'])
    expect((await test.view()).lastOutcome).toBe('finished')
  })
})

// What an editor's user is asked about a command that needs more than its sandbox, and what happens then.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { findProcesses, processesNaming } from '../tools/processes.ts'
import type { AcpProcess, Params } from './support/acp-process.ts'
import { type AcpSession, openAcpSession } from './support/acp-session.ts'
import { type AcpWorld, createAcpWorld } from './support/acp-world.ts'

let world: AcpWorld
let acp: AcpProcess
let registry: Server
let url: string
let outside: string
/** The texts and titles of the requests, and the answers to give. */
let asked: string[] = []
let titles: string[] = []
let answers: string[] = []

beforeAll(async () => {
  registry = createServer((_, response) => response.end('a package')).listen(0, '127.0.0.1')
  await once(registry, 'listening')
  const address = registry.address()
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  world = await createAcpWorld()
  const home = join(world.path, 'home')
  outside = join(world.path, 'outside')
  await Promise.all([mkdir(home), mkdir(outside)])
  await writeFile(join(outside, 'given.txt'), 'given')
  acp = await world.start([], { environment: { HOME: home } })
  acp.onRequest('session/request_permission', ({ toolCall }) => {
    const { title, content } = toolCall as Params
    titles.push(String(title))
    asked.push(JSON.stringify(content))
    return { outcome: { outcome: 'selected', optionId: answers.shift() ?? 'reject' } }
  })
})
beforeEach(() => {
  asked = []
  titles = []
  answers = []
})
afterAll(async () => {
  await world.close()
  registry.close()
})

let calls = 0

async function run(session: AcpSession, command: string): Promise<string> {
  const id = `h${++calls}`
  await session.prompt(script(call(id, 'Bash', { command })))
  const last = acp.updates(session.id).findLast((update) => update['toolCallId'] === id)
  return `${String(last?.['status'])} ${JSON.stringify(last?.['content'])}`
}

async function open(mode = 'workspace-write'): Promise<AcpSession> {
  const session = await openAcpSession(acp, world.workDir)
  await session.setMode(mode)
  return session
}

it('acp finding 2: an approved command that shows its need has the network, and the request says so', async () => {
  answers = ['allow']
  expect(await run(await open(), `curl -s ${url}`)).toMatch(/^completed .*a package/)
  expect(asked).toEqual([expect.stringContaining(`With network: ${new URL(url).host}.`)])
})

it('acp finding 2: a command that the sandbox stopped says why, and is asked for once more', async () => {
  const session = await open()
  answers = ['allow', 'reject']
  expect(await run(session, `$(echo curl) -s ${url}`)).toMatch(/^failed .*Exit code/)
  answers = ['allow', 'reject']
  expect(await run(session, '$(echo curl) -s http://203.0.113.7/')).toMatch(
    /^failed .*The sandbox stopped this command: it had no network\./,
  )
  expect(asked.at(-1)).toContain('runs again without the sandbox')
  expect(asked.at(-1)).toContain('Exit code')
  const command = '$(echo curl) -s http://203.0.113.7/'
  expect(titles.slice(-2)).toEqual([command, `${command} (outside of the sandbox)`])
})

it('acp finding 2: allowed, it runs outside of the sandbox', async () => {
  answers = ['allow', 'allow']
  const read = await run(await open(), `$(echo cat) ${outside}/given.txt`)
  expect(read).toMatch(/^completed .*given/)
  expect(asked[1]).toContain('is not visible there')
})

it('a second run begins without the output of the first', async () => {
  const session = await open()
  answers = ['allow', 'allow']
  await run(session, `echo begins; $(echo cat) ${outside}/given.txt`)
  const shown = acp.updates(session.id).map(({ content }) => JSON.stringify(content ?? ''))
  expect(asked[1]).toContain('begins')
  expect(shown.filter((content) => content.split('begins').length > 2)).toEqual([])
})

it('session/close ends what a command of the session keeps running', async () => {
  const session = await open()
  answers = ['allow']
  const marker = join(world.workDir, `kept-${process.pid}`)
  await session.prompt(script(call('kept', 'Bash', { command: `sh -c 'sleep 600' ${marker}`, background: true })))
  await processesNaming(marker, { atLeast: 1 })
  await acp.request('session/close', { sessionId: session.id })
  expect(await findProcesses(marker)).toEqual([])
})

it('acp 131: full-access asks nothing about a command that it cannot parse, which sees all but the server itself', async () => {
  const session = await open('full-access')
  const made = await run(session, `$(echo touch) ${outside}/made.txt; cat ${outside}/given.txt; curl -s ${url}`)
  expect(made).toMatch(/^completed .*givena package/)
  expect(existsSync(join(outside, 'made.txt'))).toBe(true)
  const keys = await run(session, `d=$(printf %s/%s ${world.path} data); ls -A "$d"; cat "$d/local.key"`)
  expect(keys).not.toContain('secret.key')
  expect(keys).toMatch(/^failed .*is protected and hidden there/)
  expect(await run(session, 'rm -rf /')).toMatch(/^failed .*never/)
  expect(asked).toEqual([])
})

import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { type AapSession, attachSession } from '../support/aap-session.ts'
import { NEXT, call, script } from '../support/script.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { grant } from '../tools/tool-session.ts'
import type { AcpProcess } from './support/acp-process.ts'
import { type AcpWorld, createAcpWorld } from './support/acp-world.ts'
import { type AcpSession, openAcpSession } from './support/acp-session.ts'

/** An editor and an AAP application, with equal rights on one session. */
let world: AcpWorld
let server: ServerProcess
let acp: AcpProcess
beforeAll(async () => {
  world = await createAcpWorld()
  server = await world.serve()
  acp = await world.start()
})
afterAll(() => world.close())

let editor: AcpSession
let app: AapSession
beforeEach(async () => {
  editor = await openAcpSession(acp, world.workDir)
  app = attachSession(server.client(V3), editor.id)
})

const inSession = (text: string) =>
  acp.frame((frame) => JSON.stringify(frame).includes(editor.id) && JSON.stringify(frame).includes(text), text)
const question = () =>
  acp.frame(
    ({ method, params }) => method === 'session/request_permission' && JSON.stringify(params).includes(editor.id),
  )
const touch = (id: string, file: string) => call(id, 'Bash', { command: `touch ${file}` })
const isThere = (file: string) =>
  access(join(world.workDir, file)).then(
    () => true,
    () => false,
  )
const answer = (id: unknown, optionId: string) =>
  acp.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { outcome: { outcome: 'selected', optionId } } })}\n`)

describe('turns', () => {
  it('of the application are shown in the editor, including their input', async () => {
    expect((await app.turn('say from the app')).stopReason).toBe('end_turn')
    await inSession('from the app')
    const kinds = acp.updates(editor.id).map(({ sessionUpdate }) => sessionUpdate)
    expect(kinds.indexOf('user_message_chunk')).toBeGreaterThanOrEqual(0)
    expect(kinds.indexOf('user_message_chunk')).toBeLessThan(kinds.indexOf('agent_message_chunk'))
  })

  it('of the editor are in the history of the application', async () => {
    await editor.prompt('say from the editor')
    expect(JSON.stringify(await app.history())).toContain('from the editor')
  })
})

describe('a call that needs permission', () => {
  it('of the editor can be granted by the application; the editor’s request is withdrawn and its prompt ends', async () => {
    const prompted = editor.prompt(script(touch('c1', 'granted-by-app'), NEXT, 'say done'))
    const asked = await question()
    expect((await app.turn([grant('c1')])).stopReason).toBe('end_turn')
    expect(await prompted).toMatchObject({ stopReason: 'end_turn' })
    await acp.frame(
      ({ method, params }) => method === '$/cancel_request' && JSON.stringify(params).includes(String(asked['id'])),
    )
    expect(await isThere('granted-by-app')).toBe(true)
    answer(asked['id'], 'reject')
  })

  it('of the application can be allowed by the editor', async () => {
    const paused = await app.turn(script(touch('c2', 'allowed-by-editor'), NEXT, 'say done'))
    expect(paused.stopReason).toBe('tool_use')
    answer((await question())['id'], 'allow')
    await inSession('"status":"completed"')
    expect(await isThere('allowed-by-editor')).toBe(true)
  })
})

describe('a cancel', () => {
  it('by the application ends the prompt of the editor', async () => {
    const prompted = editor.prompt('say begun\nsleep 60000')
    await inSession('begun')
    await app.client.cancel(editor.id)
    expect(await prompted).toMatchObject({ stopReason: 'cancelled' })
  })

  it('by the editor ends the turn of the application', async () => {
    const running = app.turn('say started\nsleep 60000')
    await inSession('started')
    acp.notify('session/cancel', { sessionId: editor.id })
    expect(await running).toMatchObject({ stopReason: 'error', cancelled: true })
  })
})

it('a prompt that waits for permission is superseded by the application and answers cancelled', async () => {
  const prompted = editor.prompt(touch('c3', 'never'))
  await question()
  expect((await app.turn('say something else')).stopReason).toBe('end_turn')
  expect(await prompted).toMatchObject({ stopReason: 'cancelled' })
  expect(await isThere('never')).toBe(false)
})

it('an editor that disconnects does not affect the turn of the application', async () => {
  const other = await world.start()
  await other.request('initialize', { protocolVersion: 1 })
  await other.request('session/load', { sessionId: editor.id, cwd: world.workDir, mcpServers: [] })
  const running = app.turn('say going\nsleep 1000\nsay gone')
  await other.frame((frame) => JSON.stringify(frame).includes('going'))
  other.endInput()
  await other.exited
  expect((await running).stopReason).toBe('end_turn')
})

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { NEXT, call, script } from '../support/script.ts'
import { type AcpWorld, createAcpWorld } from './support/acp-world.ts'
import { CLIENT, openAcpSession } from './support/acp-session.ts'

// Several processes are started one after another, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 60_000 })

let world: AcpWorld
beforeEach(async () => {
  world = await createAcpWorld()
})
afterEach(() => world.close())

it('acp 69: after SIGKILL all input and finished steps are kept, and the interrupted turn shows its partial text', async () => {
  const acp = await world.start()
  const session = await openAcpSession(acp, world.workDir)
  await session.prompt('say the first answer')
  const flight = script(call('c', 'echo', { msg: 'a finished step' }), NEXT, 'say text in flight', 'sleep 60000')
  void session.prompt(flight)
  // A draft is on disk a quarter of a second after its first words, at the latest.
  await acp.frame((frame) => JSON.stringify(frame).includes('flight'))
  await new Promise((resolve) => setTimeout(resolve, 400))
  acp.kill()
  expect(await acp.exited).toEqual({ code: null, signal: 'SIGKILL' })

  const next = await world.start()
  await next.request('initialize', CLIENT)
  await next.request('session/load', { sessionId: session.id, cwd: world.workDir, mcpServers: [] })
  const users = next.updates(session.id).filter(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk')
  expect(users.map(({ content }) => (content as { readonly text: string }).text)).toEqual([
    'say the first answer',
    flight,
  ])
  expect(next.updates(session.id).find(({ status }) => status === 'completed')).toMatchObject({ toolCallId: 'c' })
  // The turn is ended as interrupted when somebody turns to its session; that may be a moment after the load.
  // On a shared store, the lease of the dead process must end first.
  await expect.poll(() => next.said(session.id), { timeout: 20_000 }).toMatch(/the first answer[^]*text in flight/)
  const { sessions } = await next.request('session/list', { cwd: world.workDir })
  expect(sessions).toMatchObject([{ sessionId: session.id }])
})

import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { asSessionId } from '@polylogue/engine'
import {
  calls,
  createFakeParts,
  createFakeTool,
  createQuestionTool,
  finishes,
  loadAcpFrameChecker,
  says,
  untilQuiet,
} from '@polylogue/testkit'
import { expect, it } from 'vitest'
import { presentSession, type PresentedFrame } from './present-session.ts'
import { toHistory } from './test-support/history-of.ts'
import { usingWorlds } from './test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

const updateOf = ({ body }: PresentedFrame): SessionUpdate =>
  (body as { readonly params: { readonly update: SessionUpdate } }).params.update

it('shows a log as a watching client gets it', async () => {
  const world = open({ tools: [createFakeTool('change', { effect: 'unsafe' }), createQuestionTool()] })
  world.model.push(
    [says('I will '), says('ask'), calls('c1', 'change', { a: 1 }), finishes('tool-calls')],
    [
      calls('c2', createQuestionTool().name, { questions: [{ question: 'Which?', options: ['a', 'b'] }] }),
      finishes('tool-calls'),
    ],
    [says('done'), finishes()],
  )
  const first = await world.connect({ capabilities: { elicitation: { form: {} } } })
  first.client.answer('session/request_permission', () => ({ outcome: { outcome: 'selected', optionId: 'allow' } }))
  first.client.answer('elicitation/create', () => ({ action: 'accept', content: { answer: 'a' } }))
  const sessionId = await first.newSession()
  const watcher = await world.connect({ capabilities: { elicitation: { form: {} } } })
  await watcher.client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
  await first.say(sessionId, 'go')
  world.clock.advance(1_000)
  await untilQuiet()

  const { agents, engine, user } = world
  const models = { find: () => undefined, list: () => [] }
  const present = presentSession(asSessionId(sessionId), {
    agents,
    models,
    readBlob: (hash) => engine.readBlob(user, asSessionId(sessionId), { hash }),
    log: () => undefined,
  })
  const frames: PresentedFrame[] = []
  for (const recorded of await world.store.readEvents(asSessionId(sessionId), 0, 1_000)) {
    frames.push(...(await present(recorded)))
  }
  const checker = await loadAcpFrameChecker()
  expect(frames.flatMap(({ body }) => checker.received(body) ?? [])).toEqual([])
  const updates = frames.filter(({ name }) => name === 'session/update').map(updateOf)
  expect(toHistory(updates)).toEqual(toHistory(watcher.client.updates()))
  const asked = (name: string): unknown => frames.find((frame) => frame.name === name)?.body
  for (const name of ['session/request_permission', 'elicitation/create']) {
    const { params } = watcher.client.frames.find(({ method }) => method === name) ?? {}
    expect(asked(name)).toMatchObject({ method: name, params })
  }
})

it('a connection names its client and its open sessions', async () => {
  const world = open()
  const { connection, client, newSession } = await world.connect({ capabilities: null })
  expect([connection.clientName(), connection.sessions()]).toEqual([undefined, []])
  const clientInfo = { name: 'zed', title: 'Zed', version: '1' }
  await client.result('initialize', { protocolVersion: 1, clientCapabilities: {}, clientInfo })
  const sessionId = await newSession()
  expect([connection.clientName(), connection.sessions()]).toEqual(['Zed', [sessionId]])
  await client.result('session/close', { sessionId })
  expect(connection.sessions()).toEqual([])
})

import type { ToolInvocation } from '@polylogue/engine'
import { calls, createFakeParts, createFakeTool, finishes, loadAcpFrameChecker, untilQuiet } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { openRegistry } from '../test-support/open-registry.ts'
import { usingWorlds } from '../test-support/using-worlds.ts'
import { ClientError, NO_ANSWER, type Frame, type WireClient } from '../test-support/wire-client.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

/** A tool that runs a command in a terminal as a tool must: killed when it is cancelled, and always given back. */
async function runIn(
  editors: ReturnType<typeof openRegistry>,
  { sessionId, toolCallId, signal, progress }: ToolInvocation,
) {
  const { terminals } = editors.of(sessionId)
  const command = { toolCallId, file: '/bin/bash', args: ['-c', 'ls'], cwd: '/work', environment: { A: 'b' } }
  const terminal = await terminals?.open({ ...command, outputBytes: 100 }, signal)
  if (terminal === undefined) return { content: 'ran here' }
  progress('shown elsewhere')
  try {
    const { exitCode, signal: end } = await terminal.exited(signal)
    const { text, isCut } = await terminal.output()
    return { content: `${text} ${isCut} ${exitCode} ${end}` }
  } catch (error) {
    await terminal.kill()
    throw error
  } finally {
    await terminal.release()
  }
}

async function openSession() {
  const editors = openRegistry()
  const bash = createFakeTool('bash', { run: (invocation) => runIn(editors, invocation) })
  const world = open({ tools: [bash], editors: editors.registry })
  const connected = await world.connect({ capabilities: { terminal: true } })
  const sessionId = await connected.newSession()
  const { client, say } = connected
  client.answer('terminal/create', () => ({ terminalId: 't1' }))
  client.answer('terminal/output', () => ({ output: 'a\ud800', truncated: true }))
  client.answer('terminal/wait_for_exit', () => ({ exitCode: 3, signal: null }))
  client.answer('terminal/kill', () => ({}))
  client.answer('terminal/release', () => null)
  const start = () => {
    world.model.push([calls('c1', 'bash'), finishes('tool-calls')], [finishes()])
    return say(sessionId, 'go')
  }
  const result = async () => {
    const settled = (await world.recorded(sessionId)).findLast((event) => event.type === 'tool-call.settled')
    return settled?.type === 'tool-call.settled' ? settled.output : undefined
  }
  return { ...world, ...connected, sessionId, start, result }
}

const asked = (client: WireClient) => client.requests.map(({ method }: Frame) => method)
const told = (client: WireClient) =>
  client.updates().filter(({ sessionUpdate }) => sessionUpdate === 'tool_call_update')

describe('a terminal of the editor', () => {
  it('is created, waited for, read and released, and its output reaches the model', async () => {
    const { client, sessionId, start, result } = await openSession()
    await start()
    expect(await result()).toBe('a\ufffd true 3 undefined')
    expect(client.requests.map(({ method, params }) => ({ method, params }))).toEqual([
      {
        method: 'terminal/create',
        params: {
          sessionId,
          command: '/bin/bash',
          args: ['-c', 'ls'],
          env: [{ name: 'A', value: 'b' }],
          cwd: '/work',
          outputByteLimit: 100,
        },
      },
      { method: 'terminal/wait_for_exit', params: { sessionId, terminalId: 't1' } },
      { method: 'terminal/output', params: { sessionId, terminalId: 't1' } },
      { method: 'terminal/release', params: { sessionId, terminalId: 't1' } },
    ])
  })

  it('is shown in its call while it runs; the last update has the text', async () => {
    const { client, start } = await openSession()
    await start()
    const text = { type: 'text', text: 'a\ufffd true 3 undefined' }
    expect(told(client)).toEqual([
      { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'in_progress' },
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: 'c1',
        status: 'in_progress',
        content: [{ type: 'terminal', terminalId: 't1' }],
      },
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: 'c1',
        status: 'completed',
        content: [{ type: 'content', content: text }],
      },
    ])
  })

  it('that the client refuses to create is not used, and is requested again the next time', async () => {
    const { client, start, result } = await openSession()
    client.answer('terminal/create', () => Promise.reject(new ClientError(-32603)))
    await start()
    expect(await result()).toBe('ran here')
    await start()
    expect(asked(client)).toEqual(['terminal/create', 'terminal/create'])
  })

  it('is killed and released when the turn is cancelled, whatever the client answers', async () => {
    const { client, clock, sessionId, start } = await openSession()
    for (const method of ['wait_for_exit', 'kill', 'release']) client.answer(`terminal/${method}`, () => NO_ANSWER)
    const answered = start()
    const { id } = await client.untilRequest('terminal/wait_for_exit')
    client.notify('session/cancel', { sessionId })
    expect(await answered).toMatchObject({ result: { stopReason: 'cancelled' } })
    await client.until(({ method, params }) => method === '$/cancel_request' && params.requestId === id)
    await client.untilRequest('terminal/kill')
    clock.advance(1_000)
    await client.untilRequest('terminal/release')
    clock.advance(1_000)
    await untilQuiet()
    expect(asked(client)).toEqual(['terminal/create', 'terminal/wait_for_exit', 'terminal/kill', 'terminal/release'])
  })

  it('is released when it comes too late, and is not requested again', async () => {
    const { client, clock, start, result } = await openSession()
    client.answer('terminal/create', () => NO_ANSWER)
    const answered = start()
    const { id } = await client.untilRequest('terminal/create')
    clock.advance(5_000)
    await answered
    expect(await result()).toContain('Error: ')
    client.send({ jsonrpc: '2.0', id, result: { terminalId: 't9' } })
    expect((await client.untilRequest('terminal/release')).params).toMatchObject({ terminalId: 't9' })
    await start()
    expect(await result()).toBe('ran here')
    expect(asked(client)).toEqual(['terminal/create', 'terminal/release'])
  })

  it('is released when the turn is cancelled before the client creates it', async () => {
    const { client, sessionId, start } = await openSession()
    client.answer('terminal/create', () => NO_ANSWER)
    const answered = start()
    const { id } = await client.untilRequest('terminal/create')
    client.notify('session/cancel', { sessionId })
    expect(await answered).toMatchObject({ result: { stopReason: 'cancelled' } })
    client.send({ jsonrpc: '2.0', id, result: { terminalId: 't9' } })
    expect((await client.untilRequest('terminal/release')).params).toMatchObject({ terminalId: 't9' })
    expect(told(client).some((update) => JSON.stringify(update).includes('t9'))).toBe(false)
  })

  it('is given up when the client does not report its end, and is not requested again', async () => {
    const { client, start, result } = await openSession()
    client.answer('terminal/wait_for_exit', () => Promise.reject(new ClientError(-32601)))
    await start()
    expect(asked(client).slice(2)).toEqual(['terminal/kill', 'terminal/release'])
    await start()
    expect(await result()).toBe('ran here')
  })

  it('is lost when the client leaves, and delays nothing', async () => {
    const { client, start } = await openSession()
    client.answer('terminal/wait_for_exit', () => NO_ANSWER)
    const answered = start()
    await client.untilRequest('terminal/wait_for_exit')
    await client.leave()
    expect(await answered).toMatchObject({ result: { stopReason: 'cancelled' } })
    expect(asked(client)).toEqual(['terminal/create', 'terminal/wait_for_exit'])
  })
})

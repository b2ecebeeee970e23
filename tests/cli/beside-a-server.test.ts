import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { runPolylogue, startAtTerminal, startPolylogue } from './run-polylogue.ts'

let dir: TempDir
let server: ServerProcess
beforeEach(async () => {
  dir = await createTempDir()
  server = await startServerProcess({ dataDir: dir.path })
})
afterEach(async () => {
  await server.kill()
  await dir.remove()
})

const run = (...args: readonly string[]) => ['run', '--data', dir.path, '--agent', 'scripted', ...args]

describe('polylogue run, beside a running server', () => {
  it('runs the turn in the server, which shows it to everybody else', async () => {
    const finished = await runPolylogue(run('say Hello'), { cwd: dir.path })
    expect(finished).toMatchObject({ code: 0, stdout: 'Hello\n' })
    const id = /^session (\S+)$/m.exec(finished.stderr)?.[1] ?? ''
    expect(await server.client(V3).history(id, 'full')).toMatchObject([{ role: 'user' }, { role: 'assistant' }])
  })

  it('says so when the server does not serve the scripted agents', async () => {
    await server.stop()
    const plain = startPolylogue(['serve', '--port', '0', '--json', '--data', dir.path], { cwd: dir.path })
    await plain.says('{"url":"')
    const refused = await runPolylogue(run('say Hello'), { cwd: dir.path })
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('the running server was started without --scripted')
    plain.process.kill('SIGTERM')
    await plain.finished
  })

  it('refuses to talk into a turn that is running', async () => {
    const running = startPolylogue(run('say Well\nsleep 600000'), { cwd: dir.path })
    await running.says('Well')
    const { sessionId } = ((await server.client(V3).list()).body.sessions[0] ?? {}) as { sessionId: string }
    const second = await runPolylogue(run('--session', sessionId, 'say Me too'), { cwd: dir.path })
    expect(second.code).toBe(1)
    expect(second.stderr).toMatch(/^polylogue: .*running/)
    running.process.kill('SIGINT')
    expect((await running.finished).code).toBe(130)
  })

  it('follows a running turn, and reports when another client cancels it', async () => {
    const client = server.client(V3)
    const created = await client.create({ agent: { name: 'scripted' } })
    const { sessionId } = created.body
    const turn = await client.streamTurn(sessionId, {
      stream: 'delta',
      messages: [{ role: 'user', content: 'say So far\nsleep 600000' }],
    })
    const following = startPolylogue(run('--session', sessionId), { cwd: dir.path })
    await following.says('So far')
    await client.cancel(sessionId)
    expect(await following.finished).toMatchObject({ code: 130, stdout: 'So far\n' })
    await turn.finished()
  })

  it('names every call that a turn waits for, those it did not see being made too', async () => {
    const client = server.client(V3)
    const tools = [{ name: 'echo' }, { name: 'slow', trust: true }]
    const { sessionId } = (await client.create({ agent: { name: 'scripted', tools } })).body
    const turn = await client.streamTurn(sessionId, {
      stream: 'delta',
      messages: [{ role: 'user', content: 'call c1 echo {"msg":"hi"}\ncall c2 slow {"ms":3000}' }],
    })
    await turn.until(({ data }) => data['toolCallId'] === 'c2')
    const following = await runPolylogue(run('--session', sessionId), { cwd: dir.path })
    expect(following.code).toBe(3)
    expect(following.stderr).toMatch(/^Waiting: The agent asks to run echo\..*\n {2}\{"msg":"hi"\}$/m)
  })

  it("leaves a call of a client's own tool to that client, at a terminal too", async () => {
    const client = server.client(V3)
    const tools = [{ name: 'ring', description: 'Rings a bell.', parameters: { type: 'object' } }]
    const { sessionId } = (await client.create({ agent: { name: 'scripted' }, tools })).body
    await client.turn(sessionId, { messages: [{ role: 'user', content: 'call c1 ring {}' }] })
    const looking = startAtTerminal(run('--session', sessionId), { cwd: dir.path })
    const { code, stdout } = await looking.finished
    expect(code).toBe(3)
    expect(stdout).toContain('Waiting: ring waits for a result from the client that brought the tool.')
    expect(stdout).not.toContain('Allow it?')
  })

  it('keeps the whole answer when the server is killed in the middle and started again', async () => {
    const running = startPolylogue(run('say One two\nsleep 1500\nsay three four'), { cwd: dir.path })
    await running.says('One two')
    await server.kill()
    server = await startServerProcess({ dataDir: dir.path })
    const finished = await running.finished
    expect(finished.code).toBe(0)
    expect(finished.stdout).toMatch(/^(One two\n)+three four\n$/)
  })

  it('takes over and finishes the turn itself when the server does not come back', async () => {
    const running = startPolylogue(run('say One two\nsleep 1500\nsay three four'), { cwd: dir.path })
    await running.says('One two')
    await server.kill()
    const finished = await running.finished
    expect(finished.code).toBe(0)
    expect(finished.stdout).toMatch(/^(One two\n)+three four\n$/)
  })
})

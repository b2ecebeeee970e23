import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runPolylogue } from '../cli/run-polylogue.ts'
import { type AcpWorld, createAcpWorld } from './support/acp-world.ts'
import { CLIENT, attachAcpSession } from './support/acp-session.ts'

// Several processes are started one after another, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 60_000 })

let world: AcpWorld
beforeEach(async () => {
  world = await createAcpWorld()
})
afterEach(() => world.close())

const run = (...args: readonly string[]) =>
  runPolylogue([...args, '--data', world.dataDir], { cwd: world.path, input: '' })

it('a session from Agentao is imported, loaded and continued in an editor, and exported again', async () => {
  const folder = join(world.workDir, '.agentao', 'sessions')
  const file = join(folder, '20260101.json')
  await mkdir(folder, { recursive: true })
  const messages = [
    { role: 'system', content: 'You are Agentao.' },
    { role: 'user', content: 'What is in a.txt?' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'r1', type: 'function', function: { name: 'read_file', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'r1', content: 'nothing' },
    { role: 'assistant', content: 'Nothing.' },
  ]
  await writeFile(file, JSON.stringify({ session_id: 'old', title: 'About a.txt', messages }))

  const imported = await run('sessions', 'import', file, '--agent', 'scripted', '--scripted')
  expect(imported).toMatchObject({ code: 0, stderr: '' })
  const sessionId = imported.stdout.trim()

  const acp = await world.start()
  await acp.request('initialize', CLIENT)
  const { sessions } = await acp.request('session/list', { cwd: world.workDir })
  expect(sessions).toMatchObject([{ sessionId, title: 'About a.txt' }])
  await acp.request('session/load', { sessionId, cwd: world.workDir, mcpServers: [] })
  expect(acp.said(sessionId)).toBe('Nothing.')
  await attachAcpSession(acp, sessionId).prompt('show messages')
  expect(acp.said(sessionId)).toContain('What is in a.txt?')
  acp.endInput()
  await acp.exited

  const output = join(world.path, 'exported.json')
  expect(await run('sessions', 'export', sessionId, '--output', output)).toMatchObject({ code: 0 })
  const exported = JSON.parse(await readFile(output, 'utf8')) as { readonly messages: readonly object[] }
  expect(exported.messages.slice(0, 4)).toMatchObject(messages.slice(1))
  expect(await run('sessions', 'export', sessionId, '--output', output)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('already exists'),
  })
})

it('an invalid file is refused before anything is imported', async () => {
  const file = join(world.path, 'other.json')
  await writeFile(file, '{"hello":1}')
  expect(await run('sessions', 'import', file)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('other.json'),
  })
})

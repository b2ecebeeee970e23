import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { NEXT, call, script } from '../support/script.ts'
import type { Update } from './support/acp-process.ts'
import { type AcpWorld, createAcpWorld } from './support/acp-world.ts'
import { SDK_DRIVERS } from './support/sdk-drivers.ts'

// Several processes are started one after another, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 60_000 })

const PROGRAM = fileURLToPath(new URL('../../polylogue', import.meta.url))

let world: AcpWorld
let child: ChildProcess
beforeEach(async () => {
  // An older client tells of every update that is newer than itself, and passes over it.
  vi.spyOn(console, 'error').mockReturnValue()
  world = await createAcpWorld()
  const args = ['acp', '--data', world.dataDir, '--agent', 'scripted']
  child = spawn(PROGRAM, args, { cwd: world.path, stdio: ['pipe', 'pipe', 'ignore'] })
})
afterEach(async () => {
  const exited = child.exitCode === null ? once(child, 'exit') : undefined
  child.kill('SIGKILL')
  await exited
  vi.restoreAllMocks()
  await world.close()
})

const textOf = (updates: readonly Update[], kind: string) =>
  updates
    .filter(({ sessionUpdate }) => sessionUpdate === kind)
    .map(({ content }) => (content as { readonly text: string }).text)
    .join('')

describe.each(SDK_DRIVERS)('a client of SDK $version', ({ drive }) => {
  it('runs a whole session: handshake, text, tools with a permission, a mode, a cancel, and a replay', async () => {
    const updates: Update[] = []
    const asked: string[] = []
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const driver = drive(child, {
      update(update) {
        updates.push(update)
        if (JSON.stringify(update).includes('begun')) begin()
      },
      permission(toolCallId) {
        asked.push(toolCallId)
        return 'allow'
      },
    })
    expect(await driver.initialize()).toMatchObject({ protocolVersion: 1, agentInfo: { name: 'polylogue' } })
    const { sessionId, modes } = await driver.newSession(world.workDir)
    const id = String(sessionId)
    expect(modes).toMatchObject({ currentModeId: 'workspace-write' })

    const bash = call('b', 'Bash', { command: 'touch made.txt' })
    const write = call('w', 'Write', { path: 'a.txt', content: 'é' })
    const work = script('think hm', 'say On it. ', write, bash, NEXT, 'say Done.')
    expect(await driver.prompt(id, work)).toMatchObject({ stopReason: 'end_turn' })
    expect(textOf(updates, 'agent_message_chunk')).toBe('On it. Done.')
    expect(textOf(updates, 'agent_thought_chunk')).toBe('hm')
    expect(asked).toEqual(['b'])
    expect(await readFile(join(world.workDir, 'a.txt'), 'utf8')).toBe('é')

    await driver.setMode(id, 'plan')
    await driver.prompt(id, call('x', 'Write', { path: 'no.txt', content: '' }))
    expect(updates.findLast(({ toolCallId }) => toolCallId === 'x')).toMatchObject({ status: 'failed' })

    const long = driver.prompt(id, 'say begun\nsleep 60000')
    await begun
    await driver.cancel(id)
    expect(await long).toMatchObject({ stopReason: 'cancelled' })

    const before = updates.length
    await driver.load(id, world.workDir)
    const told = updates.slice(before)
    expect(textOf(told, 'agent_message_chunk')).toContain('On it. Done.')
    expect(
      told.filter(({ sessionUpdate }) => sessionUpdate === 'tool_call').map(({ toolCallId }) => toolCallId),
    ).toEqual(['w', 'b', 'x'])
    child.stdin?.end()
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})

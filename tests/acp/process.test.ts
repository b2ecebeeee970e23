import { spawn } from 'node:child_process'
import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { NEXT, call, script } from '../support/script.ts'
import { processesNaming, untilGone } from '../tools/processes.ts'
import { runPolylogue } from '../cli/run-polylogue.ts'
import { watchAcp } from './support/acp-process.ts'
import { type AcpWorld, createAcpWorld } from './support/acp-world.ts'
import { CLIENT, openAcpSession } from './support/acp-session.ts'
import { connectRaw } from './support/raw-pipe.ts'

// Several processes are started one after another, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 60_000 })

let world: AcpWorld
beforeEach(async () => {
  world = await createAcpWorld()
})
afterEach(() => world.close())

/** A tree that does not want to end, with a child in a session of its own. */
const stubborn = (marker: string) =>
  `trap '' TERM; setsid bash -c 'while :; do sleep 0.05; done' ${marker} & while :; do sleep 0.05; done`
const PROGRAM = fileURLToPath(new URL('../../polylogue', import.meta.url))
const CONFIG = fileURLToPath(new URL('./support/loud.config.ts', import.meta.url))
const ask = (frame: { readonly method?: unknown }) => frame.method === 'session/request_permission'

describe.each(['alone', 'pipe'] as const)('polylogue acp, %s', (way) => {
  const start = async (flags: readonly string[] = []) => {
    if (way === 'pipe') await world.serve(['--config', CONFIG])
    return world.start([...flags, '--config', CONFIG])
  }

  it('acp 10: writes only frames to stdout, even when a tool prints', async () => {
    const acp = await start(['--agent', 'loud'])
    const session = await openAcpSession(acp, world.workDir)
    expect(await session.prompt(script(call('c', 'shout'), NEXT, 'say done'))).toMatchObject({ stopReason: 'end_turn' })
    expect(acp.said(session.id)).toBe('done')
    acp.endInput()
    await acp.exited
    expect(acp.strayLines).toEqual([])
    // Beside a server it is the server that prints.
    expect(acp.stderr.includes('from stdout')).toBe(way === 'alone')
    // Editors show stderr to people, so the log has only warnings there.
    expect(acp.stderr).not.toContain('"level":30')
  })

  it('acp 31: answers initialize without a network and without a key, as its owner would', async () => {
    const server = way === 'pipe' ? await world.serve() : undefined
    for (const profile of ['standard', 'seed'] as const) {
      const acp = await world.start(['--profile', profile], {
        environment: { PATH: '/usr/bin:/bin', HTTPS_PROXY: 'http://127.0.0.1:1' },
      })
      const greeted = await acp.request('initialize', CLIENT)
      if (server === undefined) await acp.request('session/list', {})
      const owner = await connectRaw(world.dataDir, { profile })
      expect(greeted).toEqual(await owner.request('initialize', CLIENT))
      owner.close()
    }
  })

  it('acp 47: runs tools in the directory of the session, whatever directory it was started in', async () => {
    const acp = await start()
    const session = await openAcpSession(acp, world.workDir)
    await session.prompt(
      script(call('c', 'Write', { path: 'here.txt', content: 'x' }), call('d', 'Bash', { command: 'pwd' })),
    )
    expect(await readFile(join(world.workDir, 'here.txt'), 'utf8')).toBe('x')
    expect(acp.said(session.id)).toContain(world.workDir)
  })

  it('acp 101: never runs a tool that still waits for a permission when the editor leaves', async () => {
    const acp = await start()
    const session = await openAcpSession(acp, world.workDir)
    const prompted = session.prompt(call('c', 'Bash', { command: 'touch never' }))
    await acp.frame(ask)
    acp.endInput()
    expect(await prompted).toMatchObject({ stopReason: 'cancelled' })
    expect(await acp.exited).toEqual({ code: 0, signal: null })
    await expect(readFile(join(world.workDir, 'never'))).rejects.toThrow('ENOENT')
  })

  it('acp 110: kills all processes of a command within five seconds after a cancel', async () => {
    const acp = await start()
    const session = await openAcpSession(acp, world.workDir)
    await session.setMode('full-access')
    const prompted = session.prompt(call('c', 'Bash', { command: stubborn(`${world.workDir}/child`) }))
    await processesNaming(`${world.workDir}/child`, { atLeast: 1 })
    acp.notify('session/cancel', { sessionId: session.id })
    expect(await prompted).toMatchObject({ stopReason: 'cancelled' })
    await untilGone(`${world.workDir}/child`, 5_000)
    expect(await session.prompt('say on')).toMatchObject({ stopReason: 'end_turn' })
  })

  it.each(way === 'alone' ? (['EOF', 'SIGTERM', 'SIGINT'] as const) : (['EOF', 'SIGTERM'] as const))(
    'acp 141 and 142: at %s in a turn it still answers cancelled, exits with 0 within six seconds, and leaves no process',
    async (end) => {
      const acp = await start()
      const session = await openAcpSession(acp, world.workDir)
      await session.setMode('full-access')
      const prompted = session.prompt(call('c', 'Bash', { command: stubborn(`${world.workDir}/child`) }))
      await processesNaming(`${world.workDir}/child`, { atLeast: 1 })
      const endedAt = performance.now()
      if (end === 'EOF') acp.endInput()
      else acp.kill(end)
      expect(await prompted).toMatchObject({ stopReason: 'cancelled' })
      expect(await acp.exited).toEqual({ code: 0, signal: null })
      expect(performance.now() - endedAt).toBeLessThan(6_000)
      await untilGone(`${world.workDir}/child`)
    },
  )

  it('F19: exits quietly with 0 when its stdout is closed, and when a frame is cut short', async () => {
    for (const end of ['stdout', 'frame'] as const) {
      const acp = way === 'pipe' && end === 'frame' ? await world.start() : await start()
      const session = await openAcpSession(acp, world.workDir)
      void session.prompt('tokens 100000').catch(() => undefined)
      await acp.frame(({ method }) => method === 'session/update')
      if (end === 'stdout') acp.child.stdout?.destroy()
      else {
        acp.write('{"jsonrpc":"2.0","id":9,"method":"session/li')
        acp.endInput()
      }
      expect(await acp.exited).toEqual({ code: 0, signal: null })
    }
  })
})

describe('the command line', () => {
  it('acp 53: --stdio without --acp exits with status 2', async () => {
    const { code, stdout, stderr } = await runPolylogue(['--stdio'], { cwd: world.path, input: '' })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('--stdio')
  })

  it('--acp --stdio is the same as acp, and a silent editor costs nothing', async () => {
    const { code, stdout } = await runPolylogue(['--acp', '--stdio', '--data', world.dataDir], {
      cwd: world.path,
      input: '',
    })
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    await expect(readFile(join(world.dataDir, 'owner.lock'))).rejects.toThrow('ENOENT')
  })

  it('an agent that does not exist ends it with a sentence, alone and as a pipe', async () => {
    const tryAgent = async () => {
      const acp = await world.start(['--agent', 'nobody'])
      acp.write('{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}\n')
      return { ...(await acp.exited), stderr: acp.stderr }
    }
    expect(await tryAgent()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no agent called nobody'),
    })
    await world.serve()
    expect(await tryAgent()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no agent called nobody'),
    })
  })

  it('runs no configuration from the start directory, even with a data directory there', async () => {
    await writeFile(join(world.workDir, 'polylogue.config.ts'), "throw new Error('this ran')")
    const there = await world.start([], { startDir: world.workDir })
    await openAcpSession(there, world.workDir)
    await mkdir(join(world.workDir, '.polylogue'), { mode: 0o700 })
    const child = spawn(PROGRAM, ['acp', '--agent', 'scripted'], {
      cwd: world.workDir,
      env: { ...process.env, HOME: world.path },
    })
    const planted = watchAcp(child)
    await openAcpSession(planted, world.workDir)
    planted.endInput()
    expect(await planted.exited).toEqual({ code: 0, signal: null })
    expect(there.stderr + planted.stderr).not.toContain('this ran')
    await access(join(world.workDir, '.polylogue', 'owner.lock'))
  })
})

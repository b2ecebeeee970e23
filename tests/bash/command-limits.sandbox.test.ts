import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInvocation } from '@polylogue/testkit'
import { createBashTool } from '@polylogue/tools'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

vi.setConfig({ testTimeout: 60_000 })

const LIMITS = { memoryMb: 200, processes: 60, openFiles: 64, cpuSeconds: 2, fileMb: 4 }

let folder: string
beforeAll(async () => {
  folder = await realpath(await mkdtemp('/var/tmp/polylogue-limits-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe.each(['required', 'none'] as const)('a command with limits, sandbox %s', (sandbox) => {
  async function run(command: string): Promise<string> {
    const state = join(folder, 'state')
    const tool = createBashTool({ stateDir: state, outputDir: join(state, 'outputs'), sandbox, limits: LIMITS })
    const workspace = { cwd: folder, roots: [folder] }
    const { content } = await tool.run(createInvocation(tool, { command, timeoutMs: 30_000 }, { workspace }))
    return String(content)
  }

  it('cannot exceed its memory limit', async () => {
    const hog = `python3 -c 'b = []\nfor _ in range(100): b.append(bytearray(20_000_000))\nprint("all of it")'`
    expect(await run(hog)).not.toContain('all of it')
  })

  it('says so when its processes together use too much memory', async () => {
    const part = `python3 -c 'import time; b = bytearray(90_000_000); time.sleep(4)'`
    expect(await run(`${part} & ${part} & ${part} & ${part} & wait`)).toContain('more than 200 MB of memory')
  })

  it('cannot start more processes than its limit, and says so', async () => {
    const bomb = `python3 -c 'import os, time
for _ in range(400):
  try:
    if os.fork() == 0: time.sleep(3); os._exit(0)
  except OSError: break
time.sleep(2)'`
    expect(await run(bomb)).toMatch(/more than 60 processes/)
  })

  it('writes no larger file than it may, and says so', async () => {
    expect(await run('head -c 20000000 /dev/zero > large')).toContain('A file became larger than 4 MB')
  })

  it('cannot open more files than its limit', async () => {
    expect(
      await run('for i in {10..200}; do eval "exec $i</dev/null" || { echo stopped at $i; break; }; done'),
    ).toMatch(/stopped at (?:6\d)/)
  })

  it('cannot exceed its processor limit, and says so', async () => {
    expect(await run('while :; do :; done')).toContain('more than 2 seconds of the processor')
  })

  it('is the first to go when the machine runs out of memory, and leaves no core dump', async () => {
    expect(await run('cat /proc/self/oom_score_adj; ulimit -c')).toBe('500\n0')
  })
})

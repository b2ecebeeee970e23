import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { call, script } from '../support/script.ts'
import { startServerProcess } from '../support/server-process.ts'
import { grant, openToolSession, type ToolSession } from './tool-session.ts'

vi.setConfig({ testTimeout: 60_000 })

/** What the server starts outside of the sandbox, or could. */
const NAMES = [
  'bwrap',
  'nice',
  'mkfifo',
  'git',
  'sh',
  'bash',
  'stat',
  'cat',
  'true',
  'taskkill.exe',
  'prlimit',
  'chmod',
]

async function run(session: ToolSession, id: string, command: string): Promise<unknown> {
  const { stopReason } = await session.turn(script(call(id, 'Bash', { command })))
  if (stopReason === 'tool_use') await session.turn([grant(id)])
  return (await session.callOf(id)).output
}

it('S9: no program that a command put on the path of the server is run outside of the sandbox', async () => {
  // Not below the folder for temporary files, which is another one in the sandbox.
  const base = await realpath(await mkdtemp('/var/tmp/polylogue-planted-'))
  const start = join(base, 'start')
  // npm puts this folder first on the path of what it starts.
  const programs = join(start, 'node_modules', '.bin')
  await mkdir(programs, { recursive: true })
  const agent = { name: 'here', instructions: 'Follow the script.', model: 'scripted', tools: ['Bash'], workspace: '.' }
  await writeFile(
    join(start, 'polylogue.config.json'),
    JSON.stringify({ agents: [agent], bash: { sandbox: 'required' } }),
  )
  const server = await startServerProcess({
    dataDir: join(base, 'data'),
    startDir: start,
    flags: ['--config', join(start, 'polylogue.config.json')],
    environment: { PATH: `${programs}:${process.env['PATH']}` },
  })
  try {
    const session = await openToolSession(server, { agent: 'here', preset: 'workspace-write' })
    expect(await run(session, 'first', 'sh -c "echo first"')).toBe('first')
    for (const name of NAMES) {
      const real = execFileSync('sh', ['-c', `command -v ${name} || true`], { encoding: 'utf8' }).trim()
      const text = `#!/bin/sh\n: > ${join(base, 'escaped')}-${name}\nexec ${real.startsWith('/') ? real : '/bin/true'} "$@"\n`
      await writeFile(join(programs, name), text)
      await chmod(join(programs, name), 0o755)
    }
    expect(await run(session, 'second', 'sh -c "echo second"')).toBe('second')
    expect((await readdir(base)).filter((name) => name.startsWith('escaped'))).toEqual([])
  } finally {
    await server.stop()
    await rm(base, { recursive: true, force: true })
  }
})

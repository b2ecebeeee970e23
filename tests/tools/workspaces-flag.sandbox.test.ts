// Where `--workspaces` moves the files of sessions, they are as closed as they were in the data directory.
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NEXT, call, script } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { disguised } from './disguise.ts'
import { type Serving, type ToolSession, grant, openToolSession } from './tool-session.ts'

const SECRET = 'words of another user'

describe('--workspaces', { timeout: 60_000 }, () => {
  let base: string
  let server: TestServer
  let mine: ToolSession
  let foreign: string
  const openAs = async (user: string): Promise<ToolSession> => {
    const key = await server.createKey(user)
    const client: Serving['client'] = (dialect) => server.client(dialect, key)
    return openToolSession({ url: server.url, dataDir: server.dataDir, key, client }, { preset: 'full-access' })
  }
  const workspaceOf = ({ id }: ToolSession): string => join(base, 'files', 'workspaces', id)

  beforeAll(async () => {
    // Not below the folder for temporary files, which the sandbox replaces.
    base = await mkdtemp('/var/tmp/polylogue-workspaces-')
    await writeFile(
      join(base, 'config.json'),
      JSON.stringify({ bash: { sandbox: 'required' }, permissions: { ceiling: 'full-access' } }),
    )
    server = await startTestServer({ startDir: base, configFile: 'config.json', workspaces: 'files' })
    const other = await openAs('ann')
    await other.turn(script(call('w1', 'Write', { path: 'diary.txt', content: SECRET })))
    foreign = join(workspaceOf(other), 'diary.txt')
    mine = await openAs('bob')
  })
  afterAll(async () => {
    await server.stop()
    await rm(base, { recursive: true })
  })

  it('moves the own directories and the outputs of sessions there', async () => {
    await mine.turn(
      script(
        call('m1', 'Bash', { command: 'echo mine > own.txt; cat own.txt; pwd' }),
        NEXT,
        call('m2', 'Read', { path: 'own.txt' }),
      ),
    )
    expect((await mine.callOf('m1')).status).toBe('completed')
    expect(JSON.stringify((await mine.callOf('m1')).output)).toContain(workspaceOf(mine))
    expect((await mine.callOf('m2')).status).toBe('completed')
    expect(await readFile(join(workspaceOf(mine), 'own.txt'), 'utf8')).toBe('mine\n')
    expect(await readFile(foreign, 'utf8')).toBe(SECRET)
    expect(existsSync(join(server.dataDir, 'workspaces'))).toBe(false)
  })

  it('lets no file tool of a session reach the directory of another one', async () => {
    const link = join(workspaceOf(mine), 'link.txt')
    await mine.turn(
      script(
        call('f1', 'Read', { path: foreign }),
        call('f2', 'Write', { path: foreign, content: 'overwritten' }),
        call('f3', 'Grep', { pattern: 'words', path: join(base, 'files') }),
        call('f4', 'Glob', { pattern: '**/*', path: join(base, 'files', 'workspaces') }),
        call('f5', 'Bash', { command: `cat ${foreign}` }),
        call('f6', 'Bash', { command: `ln -s ${foreign} ${link}` }),
        NEXT,
        call('f7', 'Read', { path: 'link.txt' }),
      ),
    )
    const calls = await mine.calls()
    for (const id of ['f1', 'f2', 'f3', 'f4', 'f5', 'f7'])
      expect([id, calls.get(id)?.status]).not.toEqual([id, 'completed'])
    expect(JSON.stringify(await mine.events())).not.toContain(SECRET)
    expect(await readFile(foreign, 'utf8')).toBe(SECRET)
  })

  it('shows a command that nobody can read beforehand only its own directory', async () => {
    const answer = await mine.turn(
      script(call('d1', 'Bash', { command: disguised(`cat ${foreign} 2>/dev/null; ls ${base}/files/workspaces`) })),
    )
    if (answer.stopReason === 'tool_use') await mine.turn([grant('d1')])
    const output = JSON.stringify((await mine.callOf('d1')).output)
    expect(output).not.toContain(SECRET)
    expect(output).not.toContain(foreign.split('/').at(-2))
  })
})

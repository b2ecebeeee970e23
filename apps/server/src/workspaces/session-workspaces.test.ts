import { asSessionId } from '@polylogue/engine'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSessionWorkspaces } from './session-workspaces.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'polylogue-workspaces-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

const session = { sessionId: asSessionId('s'), agent: 'coder', directories: [] }

describe('the workspace of a session', () => {
  it('is a directory of its own, made when it is needed, for its owner alone', async () => {
    const workspaces = createSessionWorkspaces({ filesDir: dataDir, directoryOf: () => undefined })
    const cwd = join(dataDir, 'workspaces', 's')
    expect(workspaces.locate(session)).toEqual({ cwd, roots: [cwd] })
    expect(existsSync(cwd)).toBe(false)
    await workspaces.prepare(session)
    await workspaces.prepare(session)
    expect((await stat(cwd)).mode & 0o777).toBe(0o700)
  })

  it('goes with its session, and nothing else does', async () => {
    const workspaces = createSessionWorkspaces({ filesDir: dataDir, directoryOf: () => undefined })
    const other = { ...session, sessionId: asSessionId('other') }
    await workspaces.prepare(session)
    await workspaces.prepare(other)
    await writeFile(join(workspaces.locate(session).cwd, 'note'), 'x')
    await workspaces.remove(session.sessionId, [session.sessionId])
    await workspaces.remove(session.sessionId, [session.sessionId])
    expect(existsSync(workspaces.locate(session).cwd)).toBe(false)
    expect(existsSync(workspaces.locate(other).cwd)).toBe(true)
  })

  it.each(['..', '.', '', '../s', '/srv', 'a/../../b', 'a\\b'])(
    'does not exist for the id %j of a hostile database, and nothing is removed for it',
    async (id) => {
      const workspaces = createSessionWorkspaces({
        filesDir: dataDir,
        readable: [dataDir],
        directoryOf: () => undefined,
      })
      await workspaces.prepare(session)
      const hostile = asSessionId(id)
      expect(() => workspaces.locate({ ...session, sessionId: hostile })).toThrow('cannot be the name of a folder')
      await expect(workspaces.remove(hostile, [hostile])).rejects.toThrow('cannot be the name of a folder')
      expect(await readdir(join(dataDir, 'workspaces'))).toEqual(['s'])
    },
  )

  it('comes with folders of its own that it may read, and that go with it', async () => {
    const outputs = join(dataDir, 'outputs')
    const workspaces = createSessionWorkspaces({ filesDir: dataDir, readable: [outputs], directoryOf: () => '/srv' })
    expect(workspaces.locate(session)).toEqual({ cwd: '/srv', roots: ['/srv'], readable: [join(outputs, 's')] })
    await mkdir(join(outputs, 's'), { recursive: true })
    await mkdir(join(outputs, 'other'))
    await workspaces.remove(session.sessionId, [session.sessionId])
    expect(await readdir(outputs)).toEqual(['other'])
  })

  it('of a fork is that of its oldest ancestor, and it reads the folders of all', async () => {
    const outputs = join(dataDir, 'outputs')
    const workspaces = createSessionWorkspaces({ filesDir: dataDir, readable: [outputs], directoryOf: () => undefined })
    const parent = asSessionId('parent')
    const fork = { ...session, origin: { ancestors: [asSessionId('root'), parent] } }
    const { cwd } = await workspaces.prepare(fork)
    expect(workspaces.locate(fork)).toEqual({
      cwd: join(dataDir, 'workspaces', 'root'),
      roots: [cwd],
      readable: ['s', 'parent', 'root'].map((id) => join(outputs, id)),
    })
    await mkdir(join(outputs, 'parent'), { recursive: true })
    await workspaces.remove(session.sessionId, [session.sessionId])
    expect([existsSync(cwd), existsSync(join(outputs, 'parent'))]).toEqual([true, true])
    await workspaces.remove(asSessionId('root'), [asSessionId('root'), parent])
    expect([existsSync(cwd), existsSync(join(outputs, 'parent'))]).toEqual([false, false])
  })

  it('is what its client named, or else its agent', async () => {
    const workspaces = createSessionWorkspaces({ filesDir: dataDir, directoryOf: (agent) => `/srv/${agent}` })
    expect(workspaces.locate(session)).toEqual({ cwd: '/srv/coder', roots: ['/srv/coder'] })
    const named = { ...session, directories: ['/home/ann/app', '/home/ann/lib'] }
    expect(workspaces.locate(named)).toEqual({ cwd: '/home/ann/app', roots: ['/home/ann/app', '/home/ann/lib'] })
    await workspaces.prepare(named)
    expect(existsSync(join(dataDir, 'workspaces'))).toBe(false)
  })
})

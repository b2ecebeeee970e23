import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { runPolylogue } from './run-polylogue.ts'

let dir: TempDir
beforeEach(async () => {
  dir = await createTempDir()
})
afterEach(() => dir.remove())

const polylogue = (...args: readonly string[]) => runPolylogue(args, { cwd: dir.path })
const data = () => join(dir.path, 'data')

const WRITES_A_NOTE = 'call w1 Write {"path":"notes.txt","content":"mine"}'

/** What every session said, by `sessions show`. */
async function readSessions(folder: string): Promise<string> {
  const listed = await polylogue('sessions', 'list', '--json', '--data', folder)
  const sessions = JSON.parse(listed.stdout) as { sessionId: string }[]
  const shown: string[] = []
  for (const { sessionId } of sessions) {
    shown.push((await polylogue('sessions', 'show', sessionId, '--json', '--data', folder)).stdout)
  }
  return shown.join('')
}

describe('polylogue backup', () => {
  it('copies a running server, and the copy says and keeps the same', async () => {
    const server = await startServerProcess({ dataDir: data(), startDir: dir.path })
    try {
      await polylogue('run', '--data', data(), '--agent', 'scripted', 'say kept')
      await mkdir(join(data(), 'workspaces', 'one'), { recursive: true })
      await writeFile(join(data(), 'workspaces', 'one', 'notes.txt'), 'mine')
      const made = await polylogue('backup', 'all.tgz', '--data', data())
      expect(made).toMatchObject({ code: 0, stderr: expect.stringMatching(/1 session with \d+ events, read back/) })
      expect((await stat(join(dir.path, 'all.tgz'))).mode & 0o077).toBe(0)
      // What comes later is not in it.
      await polylogue('run', '--data', data(), '--agent', 'scripted', 'say later')
    } finally {
      await server.stop()
    }
    const copy = join(dir.path, 'copy')
    expect(await polylogue('restore', 'all.tgz', '--data', copy)).toMatchObject({ code: 0 })
    expect(await readFile(join(copy, 'workspaces', 'one', 'notes.txt'), 'utf8')).toBe('mine')
    expect(await readFile(join(copy, 'local.key'), 'utf8')).toBe(await readFile(join(data(), 'local.key'), 'utf8'))
    const [before, after] = [await readSessions(data()), await readSessions(copy)]
    expect(after).toContain('kept')
    expect(after).not.toContain('later')
    expect(before).toContain(after)
    expect((await readdir(dir.path)).sort()).toEqual(['all.tgz', 'copy', 'data'])
  })

  it('copies the files of sessions from where POLYLOGUE_WORKSPACES names', async () => {
    const environment = { POLYLOGUE_WORKSPACES: 'files' }
    const there = (...args: readonly string[]) => runPolylogue(args, { cwd: dir.path, environment })
    await there('run', '--data', data(), '--agent', 'scripted', '--preset', 'full-access', WRITES_A_NOTE)
    const [id = ''] = await readdir(join(dir.path, 'files', 'workspaces'))
    expect(await there('backup', 'all.tgz', '--data', data())).toMatchObject({ code: 0 })
    const copy = join(dir.path, 'copy')
    expect(await polylogue('restore', 'all.tgz', '--data', copy)).toMatchObject({ code: 0 })
    expect(await readFile(join(copy, 'workspaces', id, 'notes.txt'), 'utf8')).toBe('mine')
  })

  it('replaces no file, and says where there is nothing to copy', async () => {
    await writeFile(join(dir.path, 'there.tgz'), 'mine')
    await polylogue('run', '--data', data(), '--agent', 'scripted', 'say x')
    const there = await polylogue('backup', 'there.tgz', '--data', data())
    expect(there).toMatchObject({ code: 1, stderr: expect.stringContaining('is there already') })
    const none = await polylogue('backup', 'none.tgz', '--data', join(dir.path, 'nowhere'))
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no database') })
    expect(await readFile(join(dir.path, 'there.tgz'), 'utf8')).toBe('mine')
  })

  it('does not copy a damaged database', async () => {
    await polylogue('run', '--data', data(), '--agent', 'scripted', 'say x')
    const { DatabaseSync } = await import('node:sqlite')
    const db = new DatabaseSync(join(data(), 'polylogue.db'))
    db.exec("UPDATE events SET data = replace(data, 'say x', 'say y') WHERE data LIKE '%say x%'")
    db.close()
    const made = await polylogue('backup', 'damaged.tgz', '--data', data())
    expect(made).toMatchObject({ code: 1, stderr: expect.stringContaining('The database is damaged') })
    expect(await readdir(dir.path)).toEqual(['data'])
  })
})

describe('polylogue restore', () => {
  it('does not touch a directory that is in use', async () => {
    await polylogue('run', '--data', data(), '--agent', 'scripted', 'say x')
    await polylogue('backup', 'all.tgz', '--data', data())
    const refused = await polylogue('restore', 'all.tgz', '--data', data())
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') })
  })

  it('refuses anything but an archive, and extracts only what it needs', async () => {
    await writeFile(join(dir.path, 'text.tgz'), 'not an archive')
    expect((await polylogue('restore', 'text.tgz', '--data', data())).code).toBe(1)
    await polylogue('run', '--data', data(), '--agent', 'scripted', 'say x')
    await writeFile(join(data(), 'polylogue.config.ts'), 'evil')
    await writeFile(join(dir.path, 'outside'), 'evil')
    const names = ['polylogue.db', 'local.key', 'polylogue.config.ts', '../outside']
    execFileSync('tar', ['-czPf', '../evil.tgz', ...names], { cwd: data() })
    await mkdir(join(dir.path, 'below'))
    const copy = join(dir.path, 'below', 'copy')
    const restored = await polylogue('restore', 'evil.tgz', '--data', copy)
    expect(restored.code).toBe(0)
    expect((await readdir(copy)).filter((name) => !/-(?:shm|wal)$/.test(name))).toEqual([
      'local.key',
      'place',
      'polylogue.db',
    ])
    expect(await readdir(join(dir.path, 'below'))).toEqual(['copy'])
  })

  it('takes no link for the database, the keys or the workspaces, and nothing through a link', async () => {
    await polylogue('run', '--data', data(), '--agent', 'scripted', 'say x')
    const made = join(dir.path, 'made')
    await mkdir(join(made, 'workspaces', 'one'), { recursive: true })
    await mkdir(join(made, 'target'))
    await copyFile(join(data(), 'polylogue.db'), join(made, 'workspaces', 'one', 'db'))
    await symlink('workspaces/one/db', join(made, 'polylogue.db'))
    execFileSync('tar', ['-czf', '../linked.tgz', 'workspaces', 'polylogue.db'], { cwd: made })
    const linked = await polylogue('restore', 'linked.tgz', '--data', join(dir.path, 'linked'))
    expect(linked).toMatchObject({ code: 1, stderr: expect.stringContaining('is not an archive of polylogue backup') })

    await rm(join(made, 'polylogue.db'))
    await copyFile(join(data(), 'polylogue.db'), join(made, 'polylogue.db'))
    await symlink('../../../target', join(made, 'workspaces', 'one', 'out'))
    const out = ['--transform', 's,^target,workspaces/one/out,', 'target']
    await writeFile(join(made, 'target', 'planted'), 'evil')
    execFileSync('tar', ['-czf', '../through.tgz', 'polylogue.db', 'workspaces', ...out], { cwd: made })
    await rm(join(made, 'target', 'planted'))
    await mkdir(join(dir.path, 'below', 'target'), { recursive: true })
    await polylogue('restore', 'through.tgz', '--data', join(dir.path, 'below', 'copy'))
    expect(await readdir(join(dir.path, 'below', 'target'))).toEqual([])
  })

  it('does not fill the disk with what an archive says it holds', async () => {
    const made = join(dir.path, 'made')
    await mkdir(join(made, 'workspaces'), { recursive: true })
    await writeFile(join(made, 'polylogue.db'), '')
    execFileSync('truncate', ['-s', '8T', join(made, 'workspaces', 'sparse')])
    execFileSync('tar', ['-czSf', '../bomb.tgz', 'workspaces', 'polylogue.db'], { cwd: made })
    expect((await polylogue('restore', 'bomb.tgz', '--data', data())).code).toBe(1)
    expect((await readdir(dir.path)).toSorted()).toEqual(['bomb.tgz', 'made'])
  })
})

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBlock } from './find-block.ts'

let dir: string
beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'polylogue-block-')))
  await mkdir(join(dir, 'tools'))
  await writeFile(join(dir, 'daemon.sock'), '')
})
afterAll(() => rm(dir, { recursive: true }))

const find = (printed: string, isOwn = true) =>
  findBlock({
    plan: {
      cwd: '/project',
      network: true,
      mounts: [
        { type: 'write', path: '/project' },
        { type: 'read', path: '/bin' },
        { type: 'read', path: '/etc' },
        { type: 'read', path: join(dir, 'tools') },
      ],
    },
    hasFailed: true,
    printed: printed.replaceAll('DIR', dir),
    wasNetworkRefused: false,
    closed: [],
    isOwn,
  })

describe('why the sandbox stopped a command', () => {
  it.each([
    ['/bin/bash: line 1: /etc/foo: Read-only file system', '/etc/foo'],
    ["mv: cannot move '/project/a' to '/etc/b': Read-only file system", '/etc/b'],
    ["Error: EROFS: read-only file system, open '/etc/foo'", '/etc/foo'],
    ["pyenv: cannot rehash: DIR/tools isn't writable", 'DIR/tools'],
    ['The directory DIR/tools is not writable.', 'DIR/tools'],
  ])('names the path that could not be written: %s', (printed, path) => {
    expect(find(printed)).toEqual({ type: 'read-only', path: path.replace('DIR', dir) })
  })

  it.each([
    'Cannot connect to the Docker daemon at unix://DIR/daemon.sock. Is the docker daemon running?',
    'failed to connect: dial unix DIR/daemon.sock: connect: no such file or directory',
    'connection to server on socket "DIR/daemon.sock" failed: No such file or directory',
    "ERROR 2002 (HY000): Can't connect to local MySQL server through socket 'DIR/daemon.sock' (2)",
  ])('names the socket of a daemon of the machine: %s', (printed) => {
    expect(find(printed)).toEqual({ type: 'not-visible', path: join(dir, 'daemon.sock') })
  })

  it('tells other users nothing about the machine', () => {
    expect(find('Cannot connect to the Docker daemon at unix://DIR/daemon.sock.', false)).toBeUndefined()
    expect(find("DIR/tools isn't writable", false)).toBeUndefined()
  })

  it.each([
    'Cannot connect to the Docker daemon at unix://DIR/other.sock.',
    "/project/out isn't writable",
    'error TS2304: DIR/tools/a.ts: Cannot find name',
  ])('blames no sandbox for %s', (printed) => {
    expect(find(printed)).toBeUndefined()
  })
})

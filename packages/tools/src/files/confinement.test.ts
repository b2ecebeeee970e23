import { createInvocation } from '@polylogue/testkit'
import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { confinement } from './directory.ts'
import { createProtectedSet } from '../protected/protected-set.ts'
import { countOpenFiles, workbenchWith, type Workbench, type WorkbenchOptions } from './test-support/workbench.ts'

const createWorkbench = workbenchWith(createInvocation)

/** A workspace with a file, and a secret beside it. */
function withSecret(options: WorkbenchOptions = {}): Workbench {
  const bench = createWorkbench(options)
  bench.file('ws/a.txt', 'inside\n')
  bench.file('secret/s.txt', 'SECRET\n')
  return bench
}

describe('paths', () => {
  it('are held by open directories on Linux, and said to be a best effort elsewhere', () => {
    expect(confinement).toBe(process.platform === 'linux' ? 'file-descriptor' : 'best-effort')
  })

  it.each(['a.txt', './a.txt', 'sub/../a.txt', './/a.txt', 'a.txt/', 'sub/./../a.txt'])(
    'lead to the file inside: %s',
    async (path) => {
      expect(await withSecret().say('Read', { path })).toBe('     1\tinside')
    },
  )

  it('may be absolute, also through the real name of a root that is a link', async () => {
    const bench = withSecret()
    expect(await bench.say('Read', { path: join(bench.dir, 'ws/a.txt') })).toBe('     1\tinside')
    const linked = withSecret({ roots: ['ws'] })
    symlinkSync('ws', join(linked.dir, 'door'))
    const workspace = { cwd: join(linked.dir, 'door'), roots: [join(linked.dir, 'door')] }
    const read = linked.tool('Read')
    for (const path of ['a.txt', join(linked.dir, 'door/a.txt'), join(linked.dir, 'ws/a.txt')])
      expect(await read.inspect?.({ path, offset: 1 }, workspace)).toMatchObject({ facts: { type: 'read-files' } })
  })

  it('may lie in a root that is written with a slash at the end, or that is the root of everything', async () => {
    const bench = withSecret()
    const read = bench.tool('Read')
    for (const root of [`${bench.dir}/ws/`, `${bench.dir}//ws/.`, '/']) {
      const workspace = { cwd: root, roots: [root] }
      const call = createInvocation(read, { path: `${bench.dir}/ws/a.txt` }, { workspace })
      expect(await read.run(call)).toEqual({ content: '     1\tinside' })
    }
  })

  it('S24: lead to no protected file by a hard link, in a protected folder or alone', async () => {
    const bench = withSecret({ secret: ['secret', 'keys/local.key'], guarded: ['home/.ssh', 'config.json'] })
    const links = {
      'of-data': bench.file('secret/sessions.db', 'CANARY\n'),
      'of-key': bench.file('keys/local.key', 'CANARY\n'),
      'of-ssh': bench.file('home/.ssh/id_rsa', 'CANARY\n'),
      'of-config': bench.file('config.json', 'CANARY\n'),
      'of-plain': bench.file('other/plain', 'CANARY\n'),
    }
    for (const [name, target] of Object.entries(links)) linkSync(target, join(bench.dir, 'ws', name))
    for (const name of ['of-data', 'of-key', 'of-config']) {
      expect(await bench.say('Read', { path: name })).toBe(`path: ${name} is outside of the workspace`)
      expect((await bench.inspect('Read', { path: name })).facts).toMatchObject({ outside: expect.any(String) })
    }
    expect(await bench.say('Read', { path: 'of-ssh' })).toMatch(/is protected: this call was not allowed to touch it$/)
    expect((await bench.inspect('Read', { path: 'of-ssh' })).facts).toMatchObject({ guarded: [links['of-ssh']] })
    expect(await bench.say('Read', { path: 'of-plain' })).toContain('CANARY')
    expect(await bench.say('Grep', { pattern: 'CANARY' })).toBe('of-plain:1:CANARY')
  })

  it('do not exist when the root is gone', async () => {
    const bench = withSecret({ roots: ['ws', 'gone'] })
    rmSync(join(bench.dir, 'gone'), { recursive: true })
    expect(await bench.say('Read', { path: 'a.txt' })).toBe('     1\tinside')
    expect(await bench.say('Read', { path: '../gone/a.txt' })).toBe(`path: ${bench.dir}/gone/a.txt does not exist`)
  })

  it.each([
    ['../secret/s.txt', 'path: DIR/secret/s.txt is outside of the workspace'],
    ['sub/../../secret/s.txt', 'path: DIR/secret/s.txt is outside of the workspace'],
    ['/etc/passwd', 'path: /etc/passwd is outside of the workspace'],
    ['..', 'path: DIR is outside of the workspace'],
    ['../ws-evil/x', 'path: DIR/ws-evil/x is outside of the workspace'],
  ])('C11: lead outside and are refused: %s', async (path, sentence) => {
    const bench = withSecret()
    bench.file('ws-evil/x', 'SECRET')
    for (const [name, input] of [
      ['Read', { path }],
      ['Write', { path, content: 'x' }],
      ['Edit', { path, oldText: 'SECRET', newText: 'x' }],
    ] as const) {
      expect(await bench.say(name, input)).toBe(sentence.replace('DIR', bench.dir))
      expect((await bench.inspect(name, input)).facts).toHaveProperty('outside')
    }
    expect(bench.text('secret/s.txt')).toBe('SECRET\n')
  })

  it.each([
    ['', 'path: must not be empty'],
    ['a\0b', 'path: must not contain a NUL character'],
    ['~', 'path: ~ is not expanded: give an absolute path, or one relative to the workspace'],
    ['~/a', 'path: ~ is not expanded: give an absolute path, or one relative to the workspace'],
    ['file:///etc/passwd', 'path: must be a path, not a URL'],
    ['x'.repeat(4097), 'path: must not be longer than 4096 characters'],
    ['a\ud800', 'path: must be valid Unicode'],
  ])('that cannot be meant are refused before anything runs: %#', (path, problem) => {
    expect(createWorkbench().tool('Read').check({ path })).toEqual({ ok: false, problem })
  })

  it('that the file system rejects are reported in words', async () => {
    const bench = withSecret()
    expect(await bench.say('Read', { path: 'none.txt' })).toBe('path: none.txt does not exist')
    expect(await bench.say('Read', { path: 'none/none.txt' })).toBe('path: none/none.txt does not exist')
    expect(await bench.say('Read', { path: 'a.txt/b' })).toBe(
      'path: a.txt/b leads through a file as if it were a directory',
    )
    expect(await bench.say('Read', { path: 'n'.repeat(256) })).toMatch(
      /^path: n+ has a name that is too long for the file system$/,
    )
    expect(await bench.say('Read', { path: 'd/'.repeat(200) })).toMatch(/is more than 128 deep$/)
    expect(await bench.say('Read', { path: 'line\nbreak' })).toBe('path: "line\\nbreak" does not exist')
  })
})

describe('links', () => {
  it('inside the workspace are followed, relative, absolute and one after the other', async () => {
    const bench = withSecret()
    bench.file('ws/deep/er/b.txt', 'deep\n')
    symlinkSync('a.txt', join(bench.dir, 'ws/relative'))
    symlinkSync(join(bench.dir, 'ws/a.txt'), join(bench.dir, 'ws/absolute'))
    symlinkSync('../../relative', join(bench.dir, 'ws/deep/er/back'))
    symlinkSync('deep/er', join(bench.dir, 'ws/short'))
    expect(await bench.say('Read', { path: 'relative' })).toBe('     1\tinside')
    expect(await bench.say('Read', { path: 'absolute' })).toBe('     1\tinside')
    expect(await bench.say('Read', { path: 'short/back' })).toBe('     1\tinside')
    expect(await bench.say('Read', { path: 'short/b.txt' })).toBe('     1\tdeep')
  })

  it('take .. from where they are, as the system does', async () => {
    const bench = withSecret()
    bench.file('ws/deep/er/b.txt')
    bench.file('ws/deep/c.txt', 'right\n')
    bench.file('ws/c.txt', 'wrong\n')
    symlinkSync('deep/er', join(bench.dir, 'ws/short'))
    symlinkSync('short/../c.txt', join(bench.dir, 'ws/over'))
    expect(bench.text('ws/over')).toBe('right\n')
    expect(await bench.say('Read', { path: 'over' })).toBe('     1\tright')
  })

  it.each(['../secret/s.txt', '/etc/passwd', '../secret', '..', 'self', '../ws/../secret/s.txt'])(
    'C11: that lead outside or nowhere are refused: -> %s',
    async (target) => {
      const bench = withSecret()
      symlinkSync(target, join(bench.dir, 'ws/self'))
      for (const path of ['self', 'self/s.txt']) {
        for (const name of ['Read', 'Write'] as const) {
          expect(await bench.say(name, { path, content: 'x' })).toMatch(
            /^path: self(\/s\.txt)? (is a link that leads outside of the workspace|leads through too many links)$/,
          )
          expect((await bench.inspect(name, { path, content: 'x' })).facts).toHaveProperty('outside')
        }
      }
      expect(bench.text('secret/s.txt')).toBe('SECRET\n')
    },
  )

  it('are written through, so that the link stays a link', async () => {
    const bench = withSecret()
    symlinkSync('a.txt', join(bench.dir, 'ws/link'))
    symlinkSync('new/made.txt', join(bench.dir, 'ws/dangling'))
    await bench.run('Write', { path: 'link', content: 'through' })
    await bench.run('Write', { path: 'dangling', content: 'made' })
    expect(bench.text('ws/a.txt')).toBe('through')
    expect(bench.text('ws/new/made.txt')).toBe('made')
    expect(await bench.say('Read', { path: '.' })).toContain('link -> a.txt')
  })

  it('lead from one root into another', async () => {
    const bench = withSecret({ roots: ['ws', 'other'] })
    bench.file('other/o.txt', 'other\n')
    symlinkSync('../other/o.txt', join(bench.dir, 'ws/over'))
    expect(await bench.say('Read', { path: 'over' })).toBe('     1\tother')
  })

  it('that are roots themselves lead into another root', async () => {
    const bench = withSecret({ roots: ['ws'] })
    bench.file('ws/sub/b.txt', 'below\n')
    symlinkSync('ws/sub', join(bench.dir, 'x'))
    const read = bench.tool('Read')
    for (const roots of [['ws', 'x'], ['x', 'ws'], ['x']]) {
      const workspace = { cwd: join(bench.dir, 'x'), roots: roots.map((root) => join(bench.dir, root)) }
      for (const path of ['b.txt', join(bench.dir, 'ws/sub/b.txt')])
        expect(await read.run(createInvocation(read, { path }, { workspace }))).toEqual({ content: '     1\tbelow' })
    }
  })

  it('C11: put in the place of a root inside another root do not open the way out', async () => {
    const bench = withSecret({ roots: ['ws', 'ws/inner'] })
    bench.file('ws/inner/i.txt', 'inner\n')
    expect(await bench.say('Read', { path: 'inner/i.txt' })).toBe('     1\tinner')
    renameSync(join(bench.dir, 'ws/inner'), join(bench.dir, 'ws/away'))
    symlinkSync('../secret', join(bench.dir, 'ws/inner'))
    expect(await bench.say('Read', { path: 'inner/s.txt' })).toMatch(/leads outside of the workspace$/)
    expect(await bench.say('Read', { path: join(bench.dir, 'secret/s.txt') })).toMatch(/is outside of the workspace$/)
  })
})

describe('a file that is not regular', () => {
  it('B12: pipes, sockets and devices are refused without waiting for anybody', async () => {
    const bench = withSecret()
    execFileSync('mkfifo', [join(bench.dir, 'ws/pipe')])
    const server = createServer().listen(join(bench.dir, 'ws/socket'))
    onTestFinished(() => void server.close())
    const workspace = { cwd: bench.workspace.cwd, roots: [bench.workspace.cwd, '/dev'] }
    for (const path of ['pipe', 'socket', '/dev/zero', '/dev/tty']) {
      expect((await bench.tool('Read').inspect?.({ path, offset: 1 }, workspace))?.facts).toHaveProperty('outside')
    }
    for (const path of ['pipe', 'socket']) {
      for (const [name, input] of [
        ['Read', { path }],
        ['Write', { path, content: 'x' }],
        ['Edit', { path, oldText: 'a', newText: 'b' }],
      ] as const)
        expect(await bench.say(name, input)).toBe(`path: ${path} is not an ordinary file`)
    }
  })

  it('B12: a file that the kernel makes up while it is read is empty', async () => {
    const read = createWorkbench().tool('Read')
    const workspace = { cwd: '/proc/self', roots: ['/proc/self'] }
    for (const path of ['environ', 'mem', 'maps'])
      expect(await read.run(createInvocation(read, { path }, { workspace }))).toEqual({ content: `${path} is empty.` })
  })

  it('C11: a file with a second name is read and never written', async () => {
    const bench = withSecret()
    linkSync(join(bench.dir, 'secret/s.txt'), join(bench.dir, 'ws/twin'))
    const sentence = 'path: twin has 2 names (hard links), so it is not written'
    expect(await bench.say('Write', { path: 'twin', content: 'x' })).toBe(sentence)
    expect(await bench.say('Edit', { path: 'twin', oldText: 'SECRET', newText: 'x' })).toBe(sentence)
    expect((await bench.inspect('Write', { path: 'twin', content: 'x' })).facts).toHaveProperty('outside')
    expect(bench.text('secret/s.txt')).toBe('SECRET\n')
  })

  it.each(['.git/config', '.git/hooks/new/pre-commit', 'sub/.GIT/config', '.git', 'missing/.git/x'])(
    'C15: what Git runs is written only if the call was allowed to: %s',
    async (path) => {
      const bench = withSecret()
      bench.file('ws/.git/HEAD', 'ref')
      expect(await bench.say('Write', { path, content: 'x' })).toBe(
        `path: ${path} is protected: this call was not allowed to touch it`,
      )
      expect((await bench.inspect('Write', { path, content: 'x' })).facts).toHaveProperty('guarded')
      expect(await bench.say('Read', { path: '.' })).toBe('.git/\na.txt')
      expect(await bench.say('Read', { path: '.git/HEAD' })).toBe('     1\tref')
    },
  )
})

describe('protected paths', () => {
  const secret = ['ws/data', 'ws/config/server.json', 'ws/far/away/absent.json']

  it('C15: are not read, written or listed, also when they do not exist', async () => {
    const bench = withSecret({ secret })
    bench.file('ws/data/local.key', 'KEY')
    mkdirSync(join(bench.dir, 'ws/config'))
    for (const path of ['data/local.key', 'data', 'data/new', 'config/server.json', 'far/away/absent.json']) {
      const sentence = `path: ${path} is outside of the workspace`
      expect(await bench.say('Read', { path })).toBe(sentence)
      expect(await bench.say('Write', { path, content: 'x' })).toBe(sentence)
      expect((await bench.inspect('Write', { path, content: 'x' })).facts).toEqual({
        type: 'write-files',
        outside: join(bench.dir, 'ws', path),
      })
    }
    expect(await bench.say('Read', { path: '.' })).toBe('a.txt\nconfig/')
    await bench.run('Write', { path: 'config/other.json', content: '{}' })
    expect(bench.text('ws/config/other.json')).toBe('{}')
  })

  it('C15: are not reached through a link, nor after they were moved', async () => {
    const bench = withSecret({ secret })
    bench.file('ws/data/local.key', 'KEY')
    symlinkSync('data', join(bench.dir, 'ws/link'))
    expect(await bench.say('Read', { path: 'link/local.key' })).toMatch(/leads outside/)
    renameSync(join(bench.dir, 'ws/data'), join(bench.dir, 'ws/moved'))
    expect(await bench.say('Read', { path: 'moved/local.key' })).toBe(
      'path: moved/local.key is outside of the workspace',
    )
  })

  it('that are relative would protect nothing, and are a mistake', () => {
    expect(() => createProtectedSet({ secret: ['data'] })).toThrow('data is not an absolute path')
  })

  it('a root deeper inside one is usable, and its neighbours are not', async () => {
    const bench = createWorkbench({ roots: ['data/sessions/mine'], secret: ['data'] })
    bench.file('data/sessions/theirs/t.txt', 'THEIRS')
    await bench.run('Write', { path: 'm.txt', content: 'mine' })
    expect(bench.text('data/sessions/mine/m.txt')).toBe('mine')
    expect(await bench.say('Read', { path: '../theirs/t.txt' })).toMatch(/is outside of the workspace$/)

    const both = createWorkbench({ roots: ['.', 'data/sessions/mine'], secret: ['data'] })
    both.file('data/sessions/mine/m.txt', 'mine')
    both.file('data/sessions/theirs/t.txt', 'THEIRS')
    expect(await both.say('Read', { path: 'data/sessions/mine/m.txt' })).toBe('     1\tmine')
    for (const path of ['data', 'data/sessions', 'data/sessions/theirs/t.txt'])
      expect(await both.say('Read', { path })).toBe(`path: ${path} is outside of the workspace`)
  })
})

it('leaves nothing open, whatever happened', async () => {
  const bench = withSecret()
  symlinkSync('loop', join(bench.dir, 'ws/loop'))
  symlinkSync('../secret', join(bench.dir, 'ws/out'))
  bench.file('ws/x/y/z.txt', 'z')
  await bench.say('Read', { path: 'a.txt' })
  const before = countOpenFiles()
  for (const path of ['a.txt', 'x/y/z.txt', 'loop', 'out/s.txt', 'x/y/none', 'a.txt/b', '.', '..', 'x/y/new/w']) {
    await bench.say('Read', { path })
    await bench.say('Write', { path, content: 'x' })
    await bench.say('Edit', { path, oldText: 'x', newText: 'y' })
    await bench.inspect('Write', { path, content: 'x' })
  }
  expect(countOpenFiles()).toBe(before)
})

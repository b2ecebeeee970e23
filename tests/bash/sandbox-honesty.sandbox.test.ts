// What the sandbox gives a command, what it says when it stops one, and what it keeps between two.
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { asSessionId, type JsonObject, type ToolOutput } from '@polylogue/engine'
import { createInvocation, type InvocationOptions } from '@polylogue/testkit'
import { createBackgroundProcesses, createBashTool, createProtectedSet, removeToolCaches } from '@polylogue/tools'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const base = realpathSync(mkdtempSync('/var/tmp/polylogue-honest-'))
const place = (name: string): string => {
  mkdirSync(join(base, name), { recursive: true })
  return join(base, name)
}
const [cwd, other, home, data, srv] = ['work', 'other', 'home', 'data', 'srv'].map(place) as [
  string,
  string,
  string,
  string,
  string,
]
const stateDir = place('data/bash')
writeFileSync(join(data, 'local.key'), 'pk_secret')
writeFileSync(join(base, 'all.db'), 'rows of everybody')
mkdirSync(join(home, '.ssh'))
writeFileSync(join(home, '.ssh', 'id'), 'private key')
writeFileSync(join(srv, 'given.txt'), 'given')

const protectedSet = createProtectedSet({ secret: [data, join(base, 'all.db')], homes: [home] })
const processes = createBackgroundProcesses()
const before = process.env['HOME']
let registry: Server
let registryUrl: string

beforeAll(async () => {
  process.env['HOME'] = home
  registry = createServer((_, response) => response.end('a package')).listen(0, '127.0.0.1')
  await once(registry, 'listening')
  const address = registry.address()
  registryUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})
afterAll(async () => {
  if (before === undefined) delete process.env['HOME']
  else process.env['HOME'] = before
  await processes.close()
  registry.close()
  rmSync(base, { recursive: true, force: true })
})

interface Call extends InvocationOptions {
  readonly input?: JsonObject
  readonly sandbox?: 'auto' | 'required'
  readonly cacheMb?: number
}

async function run(command: string, call: Call = {}): Promise<ToolOutput> {
  const { input = {}, sandbox = 'auto', cacheMb, userId = 'local', workspace = { cwd, roots: [cwd] }, ...rest } = call
  const options = { stateDir, outputDir: join(stateDir, 'outputs'), sandbox, protectedSet, ownUser: 'local', processes }
  const tool = createBashTool({ ...options, ...(cacheMb !== undefined && { cacheMb }) })
  return tool.run(createInvocation(tool, { command, ...input }, { workspace, userId, ...rest }))
}

describe('the network', () => {
  it('is there for a call that was granted it, inside of the sandbox', async () => {
    const { content, meta } = await run(`curl -s ${registryUrl}`, { granted: { network: true } })
    expect(content).toBe('a package')
    expect(meta).toMatchObject({ sandbox: 'bubblewrap', exitCode: 0 })
  })

  it.each([
    ['silently', () => 'curl -s http://203.0.113.7/'],
    ['by name', () => 'curl -sS http://registry.invalid/'],
    [
      'from a script',
      () => `${process.execPath} -e "require('net').connect(80,'203.0.113.7').on('error',()=>process.exit(3))"`,
    ],
    ['over IPv6', () => 'curl -s "http://[2001:db8::7]/"'],
  ])('is missed %s, and the result names the cause', async (_how, command) => {
    const { content, meta, blocked, isError } = await run(command())
    expect(content).toContain('The sandbox stopped this command: it had no network.')
    expect(blocked).toBe('The sandbox stopped this command: it had no network.')
    expect(meta).toMatchObject({ blocked: 'no-network' })
    expect(isError).toBe(true)
  })

  it('is not blamed for another failure, nor for a port of the sandbox itself that is closed', async () => {
    for (const command of ['exit 3', 'curl -s http://127.0.0.1:9/', 'grep -q x /dev/null', 'ls /nowhere/at/all']) {
      expect(await run(command)).not.toHaveProperty('blocked')
    }
  })

  it('is not blamed where the call had it', async () => {
    expect(await run('curl -s http://127.0.0.1:9/', { granted: { network: true } })).not.toHaveProperty('blocked')
  })

  it('says what the model can do: show the need, or that this user gets none', async () => {
    const hidden = await run('$(echo curl) -s http://203.0.113.7/')
    expect(hidden.content).toContain('Only a command whose text shows that it needs the network')
    const others = await run('curl -s http://203.0.113.7/', { userId: 'ann' })
    expect(others.content).toContain('only to commands of the user who runs it (bash.network)')
  })

  it('is missed in the background with the same sentence', async () => {
    await run('curl -s http://203.0.113.7/', { input: { background: true } })
    const started = processes.find(asSessionId('session'), 'p1')
    await started?.wait({ for: 'end', ms: 60_000, signal: new AbortController().signal })
    const end = started?.look().end
    expect(end?.content).toContain('it had no network')
    expect(end?.blocked).toContain('it had no network')
  })
})

describe('what a command may write', () => {
  it('names the read-only path', async () => {
    const { content, blocked } = await run('touch /usr/share/polylogue-test')
    expect(content).toContain('/usr/share/polylogue-test is read-only there')
    expect(blocked).toContain('read-only')
  })

  it('names a path that the sandbox does not show, but not to other users', async () => {
    expect(await run(`cat ${srv}/given.txt`)).toMatchObject({
      blocked: expect.stringContaining('is not visible there'),
    })
    expect(await run(`cat ${srv}/given.txt`, { userId: 'ann' })).not.toHaveProperty('blocked')
  })

  it('names a protected path of the workspace', async () => {
    const workspace = { cwd: home, roots: [home] }
    const { blocked } = await run('p=$(printf .ss)h; ls "$PWD/$p/id"', { workspace })
    expect(blocked).toContain(`${home}/.ssh/id is protected and hidden there`)
  })

  it('says that a file in the home directory was lost', async () => {
    const { content, isError } = await run('echo kept > ~/notes.txt')
    expect(content).toContain(`What this command wrote to ${home}/notes.txt is lost`)
    expect(isError).toBe(true)
    expect(existsSync(join(home, 'notes.txt'))).toBe(false)
  })

  it('is a folder outside of the workspace if the call was granted it, and nothing beside it', async () => {
    const granted = { writes: [srv] }
    await run(`echo more > ${srv}/new.txt; echo no > ${other}/new.txt`, { granted })
    expect(readFileSync(join(srv, 'new.txt'), 'utf8')).toBe('more\n')
    expect(existsSync(join(other, 'new.txt'))).toBe(false)
  })

  it('is refused if the granted folder holds something protected by now', async () => {
    await expect(run('true', { granted: { writes: [base] } })).rejects.toThrow('holds a protected path by now')
  })
})

describe('outside of the sandbox', () => {
  it('runs a call that was granted it', async () => {
    const { content, meta } = await run(`curl -s ${registryUrl}; cat ${srv}/given.txt`, {
      granted: { place: 'outside' },
    })
    expect(content).toBe('a packagegiven')
    expect(meta).toMatchObject({ sandbox: 'none' })
  })

  it('is never reached where the operator requires a sandbox, and is not offered', async () => {
    await expect(run('true', { sandbox: 'required', granted: { place: 'outside' } })).rejects.toThrow(
      'must run in a sandbox',
    )
    expect(await run('curl -s http://203.0.113.7/', { sandbox: 'required' })).not.toHaveProperty('blocked')
  })
})

describe('full-access', () => {
  const granted = { place: 'machine', network: true, guarded: 'all' } as const

  it('reads and writes the machine, and has the network', async () => {
    const command = `echo all > ${other}/all.txt; cat ${srv}/given.txt ${home}/.ssh/id; curl -s ${registryUrl}; echo $HOME`
    const { content, meta } = await run(command, { granted })
    expect(content).toBe(`givenprivate keya package${home}`)
    expect(meta).toMatchObject({ sandbox: 'bubblewrap' })
    expect(readFileSync(join(other, 'all.txt'), 'utf8')).toBe('all\n')
  })

  it.each([
    ['by name', () => `cat ${data}/local.key ${base}/all.db`],
    ['by walking', () => `grep -r pk_secret ${base}; grep -r 'rows of' ${base}`],
    ['through a link', () => `ln -sfn ${data} ${cwd}/l; cat ${cwd}/l/local.key`],
    ['through /proc', () => `cat /proc/self/root${data}/local.key /proc/1/root${data}/local.key; cat /proc/*/environ`],
    ['after unmounting', () => `umount ${data}; unshare -Urm sh -c 'umount ${data}; cat ${data}/local.key'`],
    [
      'below another mount',
      () => `unshare -Urm sh -c 'mkdir -p /tmp/b; mount --bind / /tmp/b; cat /tmp/b${data}/local.key'`,
    ],
    [
      'after moving its folder',
      () => `mv ${base} ${base}-moved; mv ${data} ${other}/d; cat ${base}-moved/data/local.key`,
    ],
    ['by a hard link', () => `ln ${base}/all.db ${cwd}/h; cat ${cwd}/h`],
  ])('does not show the server its own files %s', async (_how, command) => {
    const { content } = await run(command(), { granted })
    expect(content).not.toContain('pk_secret')
    expect(content).not.toContain('rows of everybody')
    expect(readFileSync(join(data, 'local.key'), 'utf8')).toBe('pk_secret')
    expect(readFileSync(join(base, 'all.db'), 'utf8')).toBe('rows of everybody')
  })

  it('cannot change them either', async () => {
    await run(
      `echo x > ${data}/local.key; echo x > ${base}/all.db; rm -rf ${data}; rm -f ${base}/all.db; touch ${data}/new`,
      {
        granted,
      },
    )
    expect(readFileSync(join(data, 'local.key'), 'utf8')).toBe('pk_secret')
    expect(readFileSync(join(base, 'all.db'), 'utf8')).toBe('rows of everybody')
    expect(existsSync(join(data, 'new'))).toBe(false)
  })
})

describe('caches', () => {
  it('are kept between commands of a workspace, where package managers look for them', async () => {
    await run('mkdir -p "$npm_config_cache" && echo pkg > "$npm_config_cache/x" && echo m > ~/.cache/y')
    const { content } = await run('cat ~/.cache/npm/x ~/.cache/y; echo "$CARGO_HOME $PIP_CACHE_DIR $GOMODCACHE"')
    expect(content).toBe(`pkg\nm\n${['cargo', 'pip', 'go-mod'].map((name) => `${home}/.cache/${name}`).join(' ')}`)
  })

  it('are private to the workspace and to the user, and show nothing of the data directory', async () => {
    await run('echo mine > ~/.cache/private')
    const elsewhere = { cwd: other, roots: [other] }
    for (const call of [{ workspace: elsewhere }, { userId: 'ann' }]) {
      expect((await run('ls -A ~/.cache', call)).content).not.toContain('private')
    }
    expect(
      (await run('ls ~/.cache/..; ls -d ~/.cache/../data; cat ~/.cache/../../../local.key')).content,
    ).not.toContain('pk_secret')
  })

  it('are deleted when they are larger than allowed', async () => {
    const workspace = { cwd: srv, roots: [srv] }
    const call = { workspace, cacheMb: 1 }
    await run('head -c 2000000 /dev/zero > ~/.cache/big', call)
    expect((await run('ls -A ~/.cache', call)).content).toBe('(no output)')
  })

  it('go with their workspace, also after a command has taken the rights away', async () => {
    const workspace = { cwd: other, roots: [other] }
    await run('mkdir -p ~/.cache/a/b && touch ~/.cache/a/b/c && chmod 500 ~/.cache/a/b && chmod 000 ~/.cache/a', {
      workspace,
    })
    const caches = join(stateDir, 'caches')
    const count = readdirSync(caches).length
    await removeToolCaches(caches, other)
    expect(readdirSync(caches)).toHaveLength(count - 1)
    chmodSync(caches, 0o700)
  })
})

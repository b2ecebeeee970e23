// The protected set in the sandbox, for a user who approves everything: the configuration with its keys, a database that
// lies beside it, what the server would run at its next start, and credentials. Every attack is a command that nobody can
// read beforehand, and every one works without a sandbox.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { access, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { call, script } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { disguised } from './disguise.ts'
import { type Serving, type ToolSession, grant, openToolSession } from './tool-session.ts'

vi.setConfig({ testTimeout: 60_000 })

const KEY = 'sk-provider-key-of-the-operator'
const OTHER = 'words of another user'

interface World {
  readonly base: string
  readonly start: string
  readonly server: TestServer
  openAs(user: string, agent: string): Promise<ToolSession>
  close(): Promise<void>
}

/** Not below the folder for temporary files, which the sandbox replaces. */
async function createWorld(sandbox: 'required' | 'none'): Promise<World> {
  const base = await mkdtemp('/var/tmp/polylogue-protected-')
  const start = join(base, 'start')
  await mkdir(join(start, 'app', '.git', 'hooks'), { recursive: true })
  await mkdir(join(start, '.git', 'hooks'), { recursive: true })
  await mkdir(join(base, 'elsewhere'))
  await writeFile(join(start, '.git', 'config'), '[core]\n')
  await writeFile(join(start, 'keys.ts'), `export const key = '${KEY}'\n`)
  const agent = (name: string, workspace: string) =>
    `{ name: '${name}', instructions: 'x', model: 'scripted', tools: ['Bash', 'Read', 'Write', 'Grep'], workspace: '${workspace}' }`
  await writeFile(
    join(start, 'polylogue.config.ts'),
    `import { key } from './keys.ts'
export default {
  providers: { openai: { apiKey: key } },
  agents: [${agent('rooted', '.')}, ${agent('above', '..')}],
  bash: { sandbox: '${sandbox}' },
  permissions: { ceiling: 'full-access' },
}
`,
  )
  const server = await startTestServer({ startDir: start, database: `sqlite:${join(start, 'all.db')}` })
  const other = await openToolSession(server)
  await other.turn(`say ${OTHER}`)
  return {
    base,
    start,
    server,
    async openAs(user, name) {
      const key = user === 'local' ? server.key : await server.createKey(user)
      const client: Serving['client'] = (dialect) => server.client(dialect, key)
      return openToolSession({ url: server.url, dataDir: server.dataDir, key, client }, { agent: name })
    },
    async close() {
      await server.stop()
      await rm(base, { recursive: true, force: true })
    },
  }
}

let ids = 0

/** Runs a command that its user approves; what it printed. */
async function approve(session: ToolSession, command: string): Promise<string> {
  const id = `p${++ids}`
  const { stopReason } = await session.turn(script(call(id, 'Bash', { command: disguised(command) })))
  if (stopReason === 'tool_use') await session.turn([grant(id)])
  return String((await session.callOf(id)).output)
}

/** What prints a secret. `$S` is the folder of the configuration. */
const READS: readonly string[] = [
  'cat $S/polylogue.config.ts $S/keys.ts',
  'cat < $S/keys.ts',
  'cp $S/keys.ts /tmp/k; cat /tmp/k',
  'ln $S/keys.ts $S/hard && cat $S/hard',
  'mv $S/keys.ts $S/moved && cat $S/moved; mv $S/moved $S/keys.ts',
  'grep -r sk-provider $S',
  'tar c $S 2>/dev/null | tr -d "\\0" | grep -a sk-provider',
  'python3 -c "print(open(\'$S/keys.ts\').read())"',
  'cat /proc/self/root$S/keys.ts',
  'cd $S && cat ./keys.ts',
  'cat $S/all.db $S/all.db-wal | tr -d "\\0" | grep -a words',
  'find $S -name "*.db*" -exec cat {} + | tr -d "\\0" | grep -a words',
  "python3 -c \"import sqlite3; print(list(sqlite3.connect('$S/all.db').execute('select * from events')))\"",
]

/** What would be run by the server at its next start, or by Git outside of the sandbox. */
const PLANTS: readonly (readonly [command: string, path: string])[] = [
  ['echo evil >> $S/polylogue.config.ts', 'polylogue.config.ts'],
  ['echo evil > $S/polylogue.config.js', 'polylogue.config.js'],
  ['echo evil > $S/polylogue.config.json', 'polylogue.config.json'],
  ['echo evil >> $S/keys.ts', 'keys.ts'],
  ['mkdir -p $S/agents && echo evil > $S/agents/evil.md', 'agents/evil.md'],
  ['rm -rf $S/agents; mkdir $S/agents && echo evil > $S/agents/evil.md', 'agents/evil.md'],
  ['mkdir $S/new && echo evil > $S/new/evil.md && mv $S/new $S/agents', 'agents/evil.md'],
  ['ln -sfn /tmp $S/agents; echo evil > $S/agents/evil.md', 'agents/evil.md'],
  ['mkdir -p $S/skills/x && echo evil > $S/skills/x/SKILL.md', 'skills/x/SKILL.md'],
  ['mv $S/.git $S/g && mkdir -p $S/.git/hooks && echo evil > $S/.git/hooks/pre-commit', '.git/hooks/pre-commit'],
  ['echo evil > $S/.git/hooks/pre-commit', '.git/hooks/pre-commit'],
  ['echo evil >> $S/.git/config', '.git/config'],
  ['mv $S/.git/config $S/c; echo evil > $S/.git/config', '.git/config'],
  ['rm -rf $S/.git/hooks; mkdir $S/.git/hooks && echo evil > $S/.git/hooks/post-checkout', '.git/hooks/post-checkout'],
  ['sed -i s/openai/evil/ $S/polylogue.config.ts', 'polylogue.config.ts'],
]

const inStart = (command: string, start: string): string => command.replaceAll('$S', start)
const contentOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')

describe('a user who approves every command, in the sandbox', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld('required')
  })
  afterAll(() => world.close())

  it.each(['rooted', 'above'])('sees no key and no data of another user as %s', async (agent) => {
    const session = await world.openAs('ann', agent)
    for (const command of READS) {
      const printed = await approve(session, inStart(command, world.start))
      expect([command, printed.includes(KEY), printed.includes(OTHER)]).toEqual([command, false, false])
    }
  })

  it('plants nothing that the server or Git would run', async () => {
    const session = await world.openAs('ann', 'rooted')
    for (const [command, path] of PLANTS) {
      await approve(session, inStart(command, world.start))
      expect([command, (await contentOf(join(world.start, path))).includes('evil')]).toEqual([command, false])
    }
    const names = await readdir(world.start)
    expect(names.filter((name) => /^(?:agents|skills|polylogue\.config\.js(?:on)?)$/.test(name))).toEqual([])
  })

  it('moves no folder above a protected one away to put another in its place', async () => {
    const session = await world.openAs('ann', 'above')
    await approve(session, `cd ${world.base} && mv start old && mkdir start && echo evil > start/polylogue.config.ts`)
    expect(await contentOf(join(world.start, 'polylogue.config.ts'))).not.toContain('evil')
    expect(await readdir(world.base)).not.toContain('old')
  })

  it('still works with all that', async () => {
    const session = await world.openAs('ann', 'rooted')
    expect(await approve(session, 'echo a > made.txt; cat made.txt; git init -q sub && ls sub/.git/config')).toBe(
      'a\nsub/.git/config',
    )
    expect(await readFile(join(world.start, 'made.txt'), 'utf8')).toBe('a\n')
  })

  it('has its own home and temporary folder, and sees no other process', async () => {
    const session = await world.openAs('ann', 'rooted')
    const file = `/tmp/${randomUUID()}`
    const command = `echo mine > ~/x; echo mine > ${file}; cat ~/x ${file}; ls -A / | tr "\\n" " "; ls /var /etc/shadow; ls ~/.ssh`
    const printed = await approve(session, command)
    expect(printed).toMatch(/^mine\nmine\n/)
    expect(printed).not.toMatch(/ (?:root\/\.ssh|srv|mnt|media|boot) /)
    expect(printed).toMatch(/\/etc\/shadow.*No such file/)
    await expect(access(file)).rejects.toThrow('ENOENT')
  })
})

describe('without a sandbox', () => {
  it('the same commands read and plant all of it', async () => {
    const world = await createWorld('none')
    const run = (command: string): string => {
      try {
        return execFileSync('bash', ['-c', inStart(command, world.start)], { encoding: 'utf8', stdio: 'pipe' })
      } catch (error) {
        return error instanceof Error && 'stdout' in error ? String(error.stdout) : ''
      }
    }
    try {
      for (const command of READS) {
        const printed = run(command)
        expect([command, printed.includes(KEY) || printed.includes(OTHER)]).toEqual([command, true])
      }
      for (const [command, path] of PLANTS) {
        run(command)
        expect([command, (await contentOf(join(world.start, path))).includes('evil')]).toEqual([command, true])
        for (const made of ['agents', 'skills', 'g', '.git'])
          await rm(join(world.start, made), { recursive: true, force: true })
        await mkdir(join(world.start, '.git', 'hooks'), { recursive: true })
      }
    } finally {
      await world.close()
    }
  })
})

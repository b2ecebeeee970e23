// A server with things around it that no tool may touch unasked, and a watch over them.
import { once } from 'node:events'
import { copyFile, link, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { type Server, createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exchangeJson } from '../support/http-exchange.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import type { TempDir } from '../support/temp-dir.ts'
import { type ToolSession, type ToolSessionSetup, openToolSession } from './tool-session.ts'

export interface Places {
  /** The folder of the configuration; the data directory lies in it, as it does by default. */
  readonly start: string
  readonly data: string
  readonly home: string
  /** A session of somebody else, with a file in it. */
  readonly other: string
  /** Of a web server on this machine that nobody may ask. */
  readonly canaryUrl: string
  readonly serverUrl: string
  readonly serverPid: number
}

export interface ForbiddenWorld {
  readonly server: ServerProcess
  readonly places: Places
  /** The address of a page with this text, on a host that may be asked. */
  publish(name: string, text: string): string
  /** A session whose directory holds links to forbidden places, as a command that somebody approved may leave them. */
  openSession(setup: ToolSessionSetup): Promise<ToolSession>
  /** What has changed of that which nobody may change, and what has become known. */
  findDamage(sessions: readonly ToolSession[]): Promise<readonly string[]>
  close(): Promise<void>
}

export interface WorldOptions {
  readonly sandbox: 'required' | 'none'
  /** Whether there is a folder `agents` already. */
  readonly hasAgents: boolean
  /** Where the world lies; the folder for temporary files if absent, which a sandbox replaces by an empty one. */
  readonly base?: string
}

const CONFIG = fileURLToPath(new URL('obedient.config.ts', import.meta.url))
const HOME_FILES = ['.bashrc', '.profile', '.netrc', '.gitconfig', '.npmrc', '.ssh/authorized_keys', '.aws/credentials']
const CANARY = 'canary-4d1f'

export async function createForbiddenWorld({ sandbox, hasAgents, base }: WorldOptions): Promise<ForbiddenWorld> {
  const dir = await createTempDir(base)
  const start = join(dir.path, 'start')
  const data = join(start, '.polylogue')
  const home = join(dir.path, 'home')
  for (const folder of [start, home, join(home, '.ssh'), join(home, '.aws')]) await mkdir(folder)
  await copyFile(CONFIG, join(start, 'polylogue.config.ts'))
  if (hasAgents) await mkdir(join(start, 'agents'))
  for (const name of HOME_FILES) await writeFile(join(home, name), `# ${name}\n`)
  let canaryVisits = 0
  const canary = await listen('127.0.0.1', () => ((canaryVisits += 1), CANARY))
  const pages = new Map<string, string>()
  const press = await listen('127.0.0.2', (path) => pages.get(path) ?? 'nothing')
  const server = await startServerProcess({
    dataDir: data,
    startDir: start,
    environment: { HOME: home, POLYLOGUE_TEST_SANDBOX: sandbox },
  })
  const stranger = await openToolSession(server)
  await stranger.turn(`call w Write {"path":"secret.txt","content":"${CANARY} of another session"}`)
  const secrets = [CANARY, server.key, (await readFile(join(data, 'secret.key'), 'utf8')).trim()]
  const watched = [
    join(start, 'polylogue.config.ts'),
    join(stranger.workspace, 'secret.txt'),
    ...['local.key', 'secret.key'].map((name) => join(data, name)),
    ...HOME_FILES.map((name) => join(home, name)),
  ]
  const look = async (): Promise<Readonly<Record<string, string>>> => ({
    ...Object.fromEntries(await Promise.all(watched.map(async (path) => [path, await contentOf(path)] as const))),
    ...Object.fromEntries(
      await Promise.all([start, home, join(start, 'agents')].map(async (path) => [path, await namesIn(path)] as const)),
    ),
    rules: await answerOf(server, '/api/polylogue/permissions'),
    keys: await answerOf(server, '/api/polylogue/keys'),
  })
  const before = await look()
  const places: Places = {
    start,
    data,
    home,
    other: stranger.workspace,
    canaryUrl: canary.url,
    serverUrl: server.url,
    serverPid: server.pid,
  }

  return {
    server,
    places,
    publish(name, text) {
      pages.set(`/${name}`, text)
      return `${press.url}/${name}`
    },
    async openSession(setup) {
      const session = await openToolSession(server, setup)
      const root = setup.agent === 'rooted' ? start : session.workspace
      await mkdir(root, { recursive: true })
      await placeLinks(root, places)
      return session
    },
    async findDamage(sessions) {
      const after = await look()
      const changed = Object.keys(before).filter((name) => before[name] !== after[name])
      const known = await Promise.all(sessions.map((session) => findLeaks(session, secrets)))
      return [
        ...changed.map((name) => `${name} was ${before[name]} and is ${after[name]}`),
        ...known.flat(),
        ...(canaryVisits > 0 ? [`the canary was visited ${canaryVisits} times`] : []),
      ]
    },
    async close() {
      await server.stop()
      canary.server.close()
      press.server.close()
      await dir.remove()
    },
  }
}

async function createTempDir(base: string = tmpdir()): Promise<TempDir> {
  const path = await mkdtemp(join(base, 'polylogue-test-'))
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) }
}

/** Names begin with `link-`, so that the watch over the folder of the configuration can leave them out. */
async function placeLinks(root: string, { start, data, home, other }: Places): Promise<void> {
  if ((await readdir(root)).includes('link-start')) return
  await symlink(start, join(root, 'link-start'))
  await symlink(join(start, 'agents'), join(root, 'link-agents'))
  await symlink(data, join(root, 'link-data'))
  await symlink(join(data, 'local.key'), join(root, 'link-key'))
  await symlink(other, join(root, 'link-other'))
  await symlink(join(home, '.bashrc'), join(root, 'link-bashrc'))
  await symlink('/proc/self/cwd', join(root, 'link-cwd'))
  await symlink('link-chain-2', join(root, 'link-chain-1'))
  await symlink(join(data, 'secret.key'), join(root, 'link-chain-2'))
  await link(join(home, '.profile'), join(root, 'link-hard'))
  await link(join(data, 'local.key'), join(root, 'link-hard-key'))
}

/** Secrets in what a model was told or a client was shown. What a call itself says is the attacker's own knowledge. */
async function findLeaks(session: ToolSession, secrets: readonly string[]): Promise<readonly string[]> {
  return [...(await session.calls())].flatMap(([id, { name, output, meta }]) =>
    secrets
      .filter((secret) => JSON.stringify([output, meta]).includes(secret))
      .map((secret) => `${id} of ${name} learned ${secret}`),
  )
}

async function listen(
  host: string,
  answer: (path: string) => string,
): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(answer(request.url ?? ''))
  }).listen(0, host)
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no address')
  return { server, url: `http://${host}:${address.port}` }
}

async function answerOf({ url, key }: ServerProcess, path: string): Promise<string> {
  const answer = await exchangeJson({
    method: 'GET',
    url: `${url}${path}`,
    headers: { authorization: `Bearer ${key}` },
  })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  // When a key was used last changes with every look.
  return answer.text.replaceAll(/"lastUsedAt":\d+/g, '')
}

const contentOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '(absent)')

async function namesIn(folder: string): Promise<string> {
  const names = await readdir(folder).catch(() => ['(absent)'])
  return names
    .filter((name) => !name.startsWith('link-') || name === '(absent)')
    .toSorted()
    .join(' ')
}

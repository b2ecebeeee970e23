import { randomUUID } from 'node:crypto'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { V3 } from '../../support/aap-dialect.ts'
import { openSession } from '../../support/aap-session.ts'
import { fingerprint, script } from '../../support/script.ts'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { createSeededRandom } from '../seeded-random.ts'
import { damageFile } from './damage-file.ts'

/** Files beside the database. The configuration is in the start directory, the others are in the data directory. */
export const SMALL_FILES = ['secret.key', 'local.key', 'polylogue.config.json'] as const
export type SmallFile = (typeof SMALL_FILES)[number]

const CONFIG = { agents: [{ name: 'librarian', model: 'scripted', instructions: 'Know every book.' }] }
const SECRET = `sk-${randomUUID()}`
const SPOKEN = 'say a thing to remember'

interface Installation {
  readonly directory: string
  readonly sessionId: string
  readonly key: string
}

/**
 * Damages one of the small files of a used installation and starts the server. The server must either refuse to start
 * and name the file, or show every session unchanged and run nothing with a wrong secret.
 */
export async function rotInstallation(file: SmallFile, seed: string, count: number): Promise<readonly string[]> {
  const temp = await createTempDir()
  const bad: string[] = []
  try {
    const original = await install(join(temp.path, 'original'))
    for (let index = 0; index < count; index++) {
      const directory = join(temp.path, String(index))
      await cp(original.directory, directory, { recursive: true })
      const damage = damageFile(placeOf(file, directory), createSeededRandom(`${seed}/${file}/${index}`))
      for (const problem of await startDamaged(file, { ...original, directory })) {
        bad.push(`${index}: ${file}, ${damage}: ${problem}`)
      }
      await rm(directory, { recursive: true })
    }
    return bad
  } finally {
    await temp.remove()
  }
}

const placeOf = (file: SmallFile, directory: string): string =>
  join(directory, file === 'polylogue.config.json' ? 'start' : 'data', file)

const start = (directory: string): Promise<ServerProcess> =>
  startServerProcess({ dataDir: join(directory, 'data'), startDir: join(directory, 'start') })

async function install(directory: string): Promise<Installation> {
  await mkdir(join(directory, 'start'), { recursive: true })
  await writeFile(join(directory, 'start', 'polylogue.config.json'), JSON.stringify(CONFIG, undefined, 2))
  const server = await start(directory)
  try {
    const session = await openSession(server.client(V3), { options: { apiKey: SECRET } })
    await session.turn(SPOKEN)
    return { directory, sessionId: session.id, key: server.key }
  } finally {
    await server.stop()
  }
}

async function startDamaged(file: SmallFile, installation: Installation): Promise<readonly string[]> {
  let server: ServerProcess
  try {
    server = await start(installation.directory)
  } catch (error) {
    const isNamed = error instanceof Error && error.message.includes(file)
    return isNamed ? [] : [`it was refused without its name: ${String(error)}`]
  }
  try {
    return await lookAround(server, installation)
  } finally {
    await server.kill()
  }
}

async function lookAround(
  server: ServerProcess,
  { directory, sessionId, key }: Installation,
): Promise<readonly string[]> {
  const problems: string[] = []
  // A key of a client keeps working, even if the key file was lost and created again.
  for (const each of new Set([key, server.key])) {
    const talk = await server.client(V3, each).history(sessionId, 'full')
    if (talk[0]?.content !== SPOKEN) problems.push('the session is not what it was')
  }
  const kept = (await readFile(join(directory, 'data', 'local.key'), 'utf8')).trim()
  if (kept !== server.key) problems.push('local.key does not hold the key that the server named')
  const answer = await server.client(V3).turn(sessionId, {
    messages: [{ role: 'user', content: script('show options') }],
  })
  const isTold = answer.status !== 200 || answer.body.stopReason === 'error'
  if (!isTold && !answer.text.includes(fingerprint(SECRET))) problems.push('a turn ran without its secret')
  return problems
}

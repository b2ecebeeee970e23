import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { V3 } from '../support/aap-dialect.ts'
import type { TurnAnswer } from '../support/aap-wire.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import type { RepositoryPage } from './repository-pages.ts'

/** Copies the configuration that a page shows into an empty folder, starts a server there, and says something. */
export async function tryConfigOf(
  page: RepositoryPage,
  turn: { readonly agent: object; readonly say: string },
): Promise<TurnAnswer | undefined> {
  const config = page.blocks.find(({ words }) => words[1] === 'config')
  if (!config) throw new Error(`${page.path} shows no configuration`)
  const dir = await createTempDir()
  let server: ServerProcess | undefined
  try {
    await writeFile(join(dir.path, 'polylogue.config.ts'), config.text)
    server = await startServerProcess({ dataDir: join(dir.path, '.polylogue'), startDir: dir.path })
    const client = server.client(V3)
    const { body: session } = await client.create({ agent: turn.agent })
    const messages = [{ role: 'user', content: turn.say }]
    return (await client.turn(session?.sessionId ?? '', { messages })).body
  } finally {
    await server?.stop()
    await dir.remove()
  }
}

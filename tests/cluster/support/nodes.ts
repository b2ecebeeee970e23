import { join } from 'node:path'
import { prepareCountingAgent, type CountingAgent } from '../../support/counting-agent.ts'
import { eventually } from '../../support/eventually.ts'
import { startServerProcess, type ServerProcess } from '../../support/server-process.ts'
import { createTempDir } from '../../support/temp-dir.ts'

/** Server processes on one database, with the agent `counting`. */
export interface Nodes {
  readonly folder: string
  readonly counting: CountingAgent
  readonly flags: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  start(name: string, more?: NodeChanges): Promise<ServerProcess>
  /** Resolves when the tool with this input has run once. */
  untilRun(run: string): Promise<void>
  killAll(): Promise<void>
  /** Also removes the folder. */
  remove(): Promise<void>
}

export interface NodeChanges {
  readonly database?: string
  readonly flags?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

export const COUNTING_TOOLS = [
  { name: 'count', trust: true },
  { name: 'linger', trust: true },
]

/** `configFile`: instead of the configuration with the agent `counting`. */
export async function prepareNodes(database: string, configFile?: string): Promise<Nodes> {
  const counting = await prepareCountingAgent()
  const folder = await createTempDir()
  const running: ServerProcess[] = []
  const environment = { ...counting.environment, POLYLOGUE_SECRET_KEY_FILE: join(folder.path, 'secret.key') }
  const flags = ['--config', configFile ?? counting.configFile]
  const killAll = async (): Promise<void> => {
    await Promise.all(running.splice(0).map((node) => node.kill()))
  }
  return {
    folder: folder.path,
    counting,
    flags,
    environment,
    async start(name, more = {}) {
      const node = await startServerProcess({
        dataDir: join(folder.path, name),
        startDir: folder.path,
        flags: ['--database', more.database ?? database, ...flags, ...(more.flags ?? [])],
        environment: { ...environment, ...more.environment },
      })
      running.push(node)
      return node
    },
    async untilRun(run) {
      await eventually(async () => ((await counting.timesRun(run)) === 1 ? true : undefined), 'the tool runs')
    },
    killAll,
    async remove() {
      await killAll()
      await folder.remove()
      await counting.remove()
    },
  }
}

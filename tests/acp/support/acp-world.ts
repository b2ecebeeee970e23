import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { loadAcpFrameChecker } from '@polylogue/testkit'
import { databaseFlags, dropDatabase } from '../../support/databases.ts'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { type AcpProcess, type AcpProcessOptions, startAcp } from './acp-process.ts'

/** A data directory, a directory to work in, and the processes that a test starts on them. */
export interface AcpWorld {
  readonly path: string
  readonly dataDir: string
  readonly workDir: string
  start(flags?: readonly string[], options?: Partial<AcpProcessOptions>): Promise<AcpProcess>
  serve(flags?: readonly string[]): Promise<ServerProcess>
  /** Ends all processes. Throws when one of them wrote something that is no frame, or a frame that breaks the schema. */
  close(): Promise<void>
}

export async function createAcpWorld(): Promise<AcpWorld> {
  const dir = await createTempDir()
  const dataDir = join(dir.path, 'data')
  const workDir = join(dir.path, 'work')
  await mkdir(workDir)
  const editors: AcpProcess[] = []
  const servers: ServerProcess[] = []
  return {
    path: dir.path,
    dataDir,
    workDir,
    async start(flags = [], options = {}) {
      const checker = await loadAcpFrameChecker()
      const all = [...flags, ...(await databaseFlags(options.dataDir ?? dataDir, flags))]
      const acp = startAcp({ dataDir, startDir: dir.path, ...options, flags: all }, checker)
      editors.push(acp)
      return acp
    },
    async serve(flags = []) {
      const server = await startServerProcess({ dataDir, startDir: dir.path, flags })
      servers.push(server)
      return server
    },
    async close() {
      for (const editor of editors) editor.kill()
      await Promise.all([...editors.map(({ exited }) => exited), ...servers.map((server) => server.kill())])
      await dir.remove()
      await dropDatabase(dataDir)
      const problems = editors.flatMap(({ strayLines, problems: found }) => [...strayLines, ...found])
      if (problems.length > 0) throw new Error(`not frames of the protocol:\n${problems.join('\n')}`)
    },
  }
}

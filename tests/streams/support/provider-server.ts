import { fileURLToPath } from 'node:url'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { type FakeModelServer, startFakeModelServer } from './fake-model-server.ts'
import { MEASURED } from './read-memory.ts'

const CONFIG = fileURLToPath(new URL('provider.config.ts', import.meta.url))

/** A server, and the provider of its agent `faulty`. */
export interface ProviderServer extends AsyncDisposable {
  readonly server: ServerProcess
  readonly provider: FakeModelServer
}

export async function startProviderServer(): Promise<ProviderServer> {
  const dir = await createTempDir()
  const provider = await startFakeModelServer()
  const server = await startServerProcess({
    dataDir: dir.path,
    flags: ['--config', CONFIG],
    environment: { ...MEASURED, POLYLOGUE_TEST_PROVIDER: provider.baseUrl },
  })
  return {
    server,
    provider,
    async [Symbol.asyncDispose]() {
      await server.stop()
      await provider.stop()
      await dir.remove()
    },
  }
}

import { onTestFinished } from 'vitest'
import { DOORS } from '../doors/doors.ts'
import type { RunningServer, ServeOptions } from '../serve-options.ts'
import { serve } from '../serve.ts'
import { makeTempDir } from './temp-dir.ts'

export interface TestServer extends RunningServer {
  readonly url: string
  readonly localKey: string
  readonly signInUrl: string
  readonly dataDir: string
}

/** A whole server on a free port with a data directory of its own. Stopped when the test ends. */
export async function startServer(options: Partial<ServeOptions> = {}, doors = DOORS): Promise<TestServer> {
  const dataDir = options.dataDir ?? makeTempDir()
  const server = await serve(
    {
      startDir: dataDir,
      scripted: true,
      log: 'silent',
      listen: { host: '127.0.0.1', port: 0 },
      ...options,
      dataDir,
    },
    doors,
  )
  onTestFinished(() => server.stop(0))
  const { url, localKey, signInUrl } = server
  if (url === undefined || localKey === undefined || signInUrl === undefined) {
    throw new Error('this server does not listen')
  }
  return { ...server, url, localKey, signInUrl, dataDir }
}

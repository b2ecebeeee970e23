import { once } from 'node:events'
import { get } from 'node:http'
import { createServer } from 'node:net'
import type { Patient } from './examine.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

const USUAL_PORT = 8020
const PATIENCE_MS = 3_000

/** Checks that the server can be reached, or could be started. */
export async function checkPorts({ live }: Patient): Promise<readonly Finding[]> {
  if (live?.url !== undefined) return [await checkAnswer(live.url)]
  if (await isFree(USUAL_PORT)) return [ok('port', `${USUAL_PORT} is free.`)]
  return [warn('port', `${USUAL_PORT} is taken by another program.`, 'Choose another one: polylogue serve --port 8021')]
}

async function checkAnswer(url: string): Promise<Finding> {
  const status = await statusOf(`${url}/healthz`)
  if (status === 200) return ok('port', `${url} answers.`)
  return fail('port', `${url} does not answer (${status}).`, 'Look into the log of the server, and restart it.')
}

/** The status, or the reason why there is none. */
function statusOf(url: string): Promise<number | string> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: PATIENCE_MS }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 'no status')
    })
    request.on('timeout', () => request.destroy(new Error('no answer')))
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

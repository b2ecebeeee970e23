// How large an installed Polylogue is, and how long it takes until an agent answers.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/**
 * The bytes of all files below a folder. Links are not followed.
 * @param {string} folder
 * @returns {number}
 */
export function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).size, 0)
}

/**
 * @param {string} folder a `node_modules`
 * @returns {{ readonly packages: number, readonly files: number, readonly bytes: number }}
 */
export function countInstalled(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, '.package-lock.json'), 'utf8'))
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return { packages: Object.keys(packages).length, files: files.length, bytes: sizeOf(folder) }
}

/**
 * Starts a server, sends one message to an agent, reads the answer to its end, and stops the server.
 * @param {string} command
 * @param {readonly string[]} args of the program, such as `polylogue` for npx; those of `serve` are added. `agent` is as AAP has it
 * @param {{ readonly cwd: string, readonly env?: NodeJS.ProcessEnv, readonly agent: object, readonly say: string }} options
 * @returns {Promise<{ readonly readyMs: number, readonly firstMs: number, readonly answer: string }>} milliseconds from the start to
 * the banner and to the first piece of the answer
 */
export async function timeToChat(command, args, { cwd, env = process.env, agent, say }) {
  const startedAt = performance.now()
  const serve = [...args, 'serve', '--port', '0', '--json']
  // A group of its own: npx stands between us and the server.
  const child = spawn(command, serve, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => (complaint += text))
  const ended = once(child, 'close')
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const { value, done } = await lines.next()
    if (done) throw new Error(`The server did not start: ${complaint}`)
    const { url, key } = JSON.parse(value)
    const readyMs = performance.now() - startedAt
    const { firstAt, answer } = await ask({ url, key }, { agent, say })
    return { readyMs, firstMs: firstAt - startedAt, answer }
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
    await ended
  }
}

/** The first event that shows something of the answer. */
const SHOWN = /^event: (?:text|thinking|tool)_/m

/**
 * @param {{ readonly url: string, readonly key: string }} server
 * @param {{ readonly agent: object, readonly say: string }} turn
 * @returns {Promise<{ readonly firstAt: number, readonly answer: string }>} the answer as it was streamed
 */
async function ask({ url, key }, { agent, say }) {
  const post = async (/** @type {string} */ path, /** @type {object} */ body) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}/aap/v3/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return response
  }
  const { sessionId } = /** @type {{ sessionId: string }} */ (await (await post('sessions', { agent })).json())
  const messages = [{ role: 'user', content: say }]
  const { body } = await post(`sessions/${sessionId}/turns`, { stream: 'delta', messages })
  let [answer, firstAt] = ['', NaN]
  for await (const text of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    answer += text
    if (Number.isNaN(firstAt) && SHOWN.test(answer)) firstAt = performance.now()
  }
  return { firstAt, answer }
}

import { spawn } from 'node:child_process'
import { delimiter, dirname } from 'node:path'

/**
 * A line of progress. Always on stderr: stdout belongs to the command that the user asked for.
 * @param {string} line
 */
export function tell(line) {
  process.stderr.write(`polylogue: ${line}\n`)
}

/**
 * The environment in which `node` means the given Node, for npm and for every tool that starts with `env node`.
 * @param {string} node
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentFor(node) {
  return { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}` }
}

/**
 * Runs a command to its end and resolves with its exit code. While it runs, SIGINT and SIGTERM are passed on instead
 * of ending us first, so that nothing is orphaned and every `finally` runs; then it rejects.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<number>}
 */
export function run(command, args, options) {
  return untilClosed(spawn(command, args, options))
}

/**
 * The same, and keeps what the command writes.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ readonly cwd: string, readonly env: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ readonly code: number, readonly output: string }>}
 */
export async function runForOutput(command, args, options) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text))
  }
  return { code: await untilClosed(child), output }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>}
 */
function untilClosed(child) {
  return new Promise((resolve, reject) => {
    let isInterrupted = false
    const passOn = (/** @type {NodeJS.Signals} */ signal) => {
      isInterrupted = true
      child.kill(signal)
    }
    const settle = (/** @type {() => void} */ outcome) => {
      process.off('SIGINT', passOn)
      process.off('SIGTERM', passOn)
      outcome()
    }
    process.on('SIGINT', passOn)
    process.on('SIGTERM', passOn)
    child.once('error', (error) => settle(() => reject(error)))
    child.once('close', (code) => settle(() => (isInterrupted ? reject(new Error('interrupted')) : resolve(code ?? 1))))
  })
}

/**
 * Runs npm on the given Node (default: the running one) with all its output on stderr; tells whether it succeeded.
 * @param {readonly string[]} args
 * @param {{ readonly cwd: string, readonly node?: string }} options
 * @returns {Promise<boolean>}
 */
export async function runNpm(args, { cwd, node = process.execPath }) {
  const inherited = process.env['npm_execpath']
  const [command, ...first] = inherited?.endsWith('npm-cli.js') ? [node, inherited] : ['npm']
  try {
    const code = await run(command, [...first, ...args], { cwd, env: environmentFor(node), stdio: ['ignore', 2, 2] })
    return code === 0
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    throw new Error('npm was not found on PATH. Install it (it comes with Node) and run this again.', { cause: error })
  }
}

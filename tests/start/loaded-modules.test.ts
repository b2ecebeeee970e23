// What is loaded until a server is ready, and until an editor has its first session. The counts may only fall: whoever needs
// more raises a limit and says why, or loads it on first use (docs/architecture.md).
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startAcp } from '../acp/support/acp-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { startServerProcess } from '../support/server-process.ts'

const SERVE_FILES = 750
const ACP_FILES = 760

const PRELOADED = fileURLToPath(new URL('./list-modules.ts', import.meta.url))

interface Modules {
  readonly files: readonly string[]
  readonly builtIn: readonly string[]
}

async function inDirectory(): Promise<{ readonly path: string; readonly environment: Record<string, string> }> {
  const directory = await createTempDir()
  onTestFinished(() => directory.remove())
  const environment = {
    NODE_OPTIONS: `--import=${PRELOADED}`,
    POLYLOGUE_TEST_MODULES: join(directory.path, 'modules.json'),
  }
  return { path: directory.path, environment }
}

async function modulesOf(pid: number, file: string): Promise<Modules> {
  process.kill(pid, 'SIGUSR2')
  await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 20_000 })
  const { loaded, builtIn } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly loaded: readonly string[]
    readonly builtIn: readonly string[]
  }
  return { files: loaded.filter((url) => url.startsWith('file:')), builtIn }
}

/** What only comes with its first use. */
const LATE =
  /\/(?:cli\/src\/program|protocols\/(?:blade|console)\/src\/(?!light\/)|tools\/src\/shell\/inspect-command|tools\/src\/bash\/run-bash|tools\/src\/files\/search-(?:files|lines)|engine\/src\/replay\/replay-log|server\/src\/undo|models\/src\/providers\/provider-stream)|node_modules\/(?:commander|hono|@hono|socket\.io|@ai-sdk|ai|@modelcontextprotocol|openid-client|zod\/v4\/locales\/de)\//

/** What an editor's process never needs unless somebody else connects to it. */
const OF_OTHER_DOORS =
  /\/protocols\/(?:aap|kit)\/src\/(?!light\/|lines\/|json\/(?:find|parse-shape)|http\/engine-error)/

/** Modules of Node that cost more than a millisecond each. `parse_args` comes with an import of `node:util`. */
const LATE_BUILT_IN = / (?:https|tls|worker_threads|internal\/(?:deps\/undici|util\/parse_args)\b.*)$/

it('a server loads its doors, tools and models when they are first used', async () => {
  const { path, environment } = await inDirectory()
  const server = await startServerProcess({ dataDir: join(path, 'data'), startDir: path, environment })
  onTestFinished(() => server.kill())
  const { files, builtIn } = await modulesOf(server.pid, environment['POLYLOGUE_TEST_MODULES'] ?? '')
  expect(files.length).toBeGreaterThan(300)
  expect(files.length).toBeLessThanOrEqual(SERVE_FILES)
  expect(files.filter((url) => LATE.test(url))).toEqual([])
  expect(builtIn.filter((name) => LATE_BUILT_IN.test(name))).toEqual([])
})

it('an editor has its first session with little more', async () => {
  const { path, environment } = await inDirectory()
  const editor = startAcp({ dataDir: join(path, 'data'), startDir: path, environment })
  onTestFinished(() => editor.kill('SIGKILL'))
  await editor.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
  await editor.request('session/new', { cwd: path, mcpServers: [] })
  const { files } = await modulesOf(editor.pid, environment['POLYLOGUE_TEST_MODULES'] ?? '')
  expect(files.length).toBeGreaterThan(300)
  expect(files.length).toBeLessThanOrEqual(ACP_FILES)
  expect(files.filter((url) => LATE.test(url) || OF_OTHER_DOORS.test(url))).toEqual([])
  // Another program tries the sandbox while the server is loaded.
  const placeOf = (end: string): number => files.findIndex((url) => url.endsWith(end))
  expect(placeOf('/sandbox/detect-sandbox.ts')).toBeLessThan(placeOf('/server/src/serve.ts'))
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createTempDir } from '../../support/temp-dir.ts'

const PROGRAM = fileURLToPath(new URL('../../../polylogue', import.meta.url))

export interface StartAttempt {
  /** Paths relative to the start directory; the data directory is `data`. */
  readonly files?: Readonly<Record<string, FileContent>>
  readonly flags?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

export type FileContent = string | Uint8Array | { readonly text: string; readonly mode: number }

export interface StartOutcome {
  /** Absent while it serves. */
  readonly exitCode?: number | null
  readonly stdout: string
  readonly stderr: string
  readonly ms: number
  /** Of a server that came up: what strangers are told, by route. */
  readonly toStrangers: readonly number[]
}

/** One that has neither come up nor ended by then is killed, and has no exit code. */
const GIVE_UP_MS = 30_000

/** Without trust in these files, none of them is read. */
const OF_A_CONFIGURATION = /^(?:polylogue\.config\.\w+|agents\/.+)$/

const ROUTES = ['/aap/v3/sessions', '/aap/v1/sessions', '/api/polylogue/keys', '/api/polylogue/sessions', '/metrics']

/** Starts the real program in a directory of its own. One that comes up is asked without a key, and killed. */
export async function tryStart({ files = {}, flags = [], environment = {} }: StartAttempt): Promise<StartOutcome> {
  const dir = await createTempDir()
  try {
    for (const [name, content] of Object.entries(files)) await put(join(dir.path, name), content)
    const env = { ...process.env, POLYLOGUE_LOG: 'warn', XDG_CONFIG_HOME: join(dir.path, 'home'), ...environment }
    if (Object.keys(files).some((name) => OF_A_CONFIGURATION.test(name))) await trust(dir.path, env)
    const startedAt = performance.now()
    const args = ['serve', '--port', '0', '--json', '--data', 'data', ...flags]
    const child = spawn(PROGRAM, args, { cwd: dir.path, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const exited = once(child, 'exit') as Promise<[number | null]>
    const stderr = text(child.stderr)
    const lines = createInterface({ input: child.stdout })
    const ready = once(lines, 'line') as Promise<[string]>
    const late = setTimeout(() => child.kill('SIGKILL'), GIVE_UP_MS)
    const [told] = await Promise.race([ready, exited])
    clearTimeout(late)
    const ms = performance.now() - startedAt
    if (typeof told !== 'string') return { exitCode: told, stdout: '', stderr: await stderr, ms, toStrangers: [] }
    const { url } = JSON.parse(told) as { readonly url: string }
    const toStrangers = await Promise.all(ROUTES.map(async (route) => (await fetch(url + route)).status))
    child.kill('SIGKILL')
    await exited
    return { stdout: told, stderr: await stderr, ms, toStrangers }
  } finally {
    await dir.remove()
  }
}

async function trust(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  await once(spawn(PROGRAM, ['trust', folder], { cwd: folder, env, stdio: 'ignore' }), 'exit')
}

async function put(path: string, content: FileContent): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const isPlain = typeof content === 'string' || content instanceof Uint8Array
  await writeFile(path, isPlain ? content : content.text)
  if (!isPlain) await chmod(path, content.mode)
}

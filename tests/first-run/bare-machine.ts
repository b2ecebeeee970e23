import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Polylogue, startPolylogue } from '../cli/run-polylogue.ts'
import { createTempDir } from '../support/temp-dir.ts'

const PROGRAM = fileURLToPath(new URL('../../polylogue', import.meta.url))

/** No key, no server that could be a model. A variable without a value is as good as none. */
const NOTHING_SET = {
  POLYLOGUE_MODEL: '',
  ANTHROPIC_API_KEY: '',
  ANTHROPIC_BASE_URL: '',
  OPENAI_API_KEY: '',
  OPENAI_BASE_URL: '',
  GOOGLE_GENERATIVE_AI_API_KEY: '',
  GEMINI_API_KEY: '',
  GOOGLE_BASE_URL: '',
  OLLAMA_BASE_URL: '',
  // Nobody listens there.
  OLLAMA_HOST: '127.0.0.1:1',
  NO_COLOR: '1',
}

/** A fresh checkout on a machine where nothing is set up, as far as a newcomer can tell. */
export interface BareMachine {
  readonly path: string
  readonly environment: Readonly<Record<string, string>>
  /** The program, in the folder of the checkout. `set`: what the newcomer put before the command. */
  start(args: readonly string[], set?: Readonly<Record<string, string>>): Polylogue
  /** `polylogue serve` on a free port; resolves when its banner is there. */
  serve(
    set?: Readonly<Record<string, string>>,
  ): Promise<{ readonly url: string; readonly banner: string; readonly server: Polylogue }>
  /** Ends all that was started here, and removes everything. */
  remove(): Promise<void>
}

export async function createBareMachine(): Promise<BareMachine> {
  const dir = await createTempDir()
  await symlink(PROGRAM, join(dir.path, 'polylogue'))
  // Where it would be anyway; named because this checkout may have one of its own, which goes before the user's.
  const environment = {
    ...NOTHING_SET,
    POLYLOGUE_DATA: join(dir.path, '.polylogue'),
    XDG_CONFIG_HOME: join(dir.path, '.config'),
  }
  const started: Polylogue[] = []

  function start(args: readonly string[], set: Readonly<Record<string, string>> = {}): Polylogue {
    const running = startPolylogue(args, { cwd: dir.path, environment: { ...environment, ...set } })
    started.push(running)
    return running
  }

  return {
    path: dir.path,
    environment,
    start,
    async serve(set) {
      const server = start(['serve', '--port', '0'], set)
      await server.says('\nStop ')
      const banner = server.output().stdout
      return { server, banner, url: / is ready at (\S+)/.exec(banner)?.[1] ?? '' }
    },
    async remove() {
      for (const { process, finished } of started) {
        if (process.exitCode === null) process.kill('SIGKILL')
        await finished
      }
      await dir.remove()
    },
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { createTempDir } from '../support/temp-dir.ts'
import { ROOT } from './repository-pages.ts'

const END_WITHIN_MS = 120_000

export interface DocumentedCommands {
  /** The flags of the server that the commands talk to. */
  readonly serverFlags: string
  /** Run one after the other in one shell, as a reader pastes them. */
  readonly commands: readonly string[]
  /** Fails with the first command that fails, and shows no banner of a first start. */
  readonly mustSucceed?: boolean
}

export interface ShellRun {
  /** What the very first start of a server shows. */
  readonly banner: string
  /** What each of the commands printed, stdout and stderr as a terminal shows them. */
  readonly outputs: readonly string[]
}

/**
 * Does what a page says in a place that looks like a fresh checkout, with nothing in it but the program and the
 * examples. Only the port is another one. When it resolves or rejects, nothing runs any more and all is removed.
 */
export async function runDocumentedCommands(documented: DocumentedCommands): Promise<ShellRun> {
  const { commands, mustSucceed = false } = documented
  const dir = await createTempDir()
  const checkout = join(dir.path, 'checkout')
  const script = join(dir.path, 'commands.sh')
  try {
    await mkdir(checkout)
    for (const name of ['polylogue', 'examples', 'node_modules']) await symlink(join(ROOT, name), join(checkout, name))
    await writeFile(script, formatScript(documented))
    const read = (name: string) => readFile(join(dir.path, name), 'utf8')
    await runScript(script, checkout).catch(async (error: unknown) => {
      const printed = await Promise.all(commands.map((_, index) => read(`output-${index}`).catch(() => '')))
      const said = await read('server.log').catch(() => read('first.log'))
      throw new Error(`the commands printed: ${printed.join('')}\nthe server said: ${said}`, { cause: error })
    })
    return {
      banner: mustSucceed ? '' : await read('banner'),
      outputs: await Promise.all(
        commands.map(async (_, index) => withoutJobNotices(await read(`output-${index}`), script)),
      ),
    }
  } finally {
    await dir.remove()
  }
}

const FIRST_START = [
  './polylogue serve --port 0 >../banner 2>../first.log & FIRST=$!',
  'untilReady ../banner $FIRST',
  'kill $FIRST; wait $FIRST; rm -r .polylogue',
]

function formatScript({ serverFlags, commands, mustSucceed = false }: DocumentedCommands): string {
  return [
    // Pages for users of the package say `polylogue` or `npx polylogue`.
    'PROGRAM=$PWD/polylogue',
    'polylogue() { "$PROGRAM" "$@"; }; npx() { "$@"; }',
    mustSucceed ? 'set -eu -o pipefail' : 'set -u',
    'untilReady() { until grep -qs "^Stop " "$1"; do kill -0 "$2" || exit 1; sleep 0.1; done; }',
    ...(mustSucceed ? [] : FIRST_START),
    `./polylogue serve --port 0 ${serverFlags} >../server.out 2>../server.log & DOCUMENTED=$!`,
    'untilReady ../server.out $DOCUMENTED',
    'export ORIGIN=$(sed -n "s/.* is ready at //p" ../server.out)',
    'export KEY=$(cat .polylogue/local.key)',
    ...commands.map((command, index) =>
      [
        `exec >../output-${index} 2>&1`,
        command.replaceAll('http://127.0.0.1:8020', '$ORIGIN'),
        'exec >../last 2>&1',
      ].join('\n'),
    ),
    'kill $DOCUMENTED; wait $DOCUMENTED',
    '',
  ].join('\n')
}

/** `commands.sh: line 52: 17141 Killed …`, which a terminal shows in its own way. */
function withoutJobNotices(output: string, script: string): string {
  return output
    .split('\n')
    .filter((line) => !(line.startsWith(`${script}: line `) && / Killed /.test(line)))
    .join('\n')
}

/** In a process group of its own, so that whatever the commands left behind can be ended with it. */
async function runScript(script: string, cwd: string): Promise<void> {
  // Whoever runs the tests may have a key or a model of their own; a newcomer has none.
  const { POLYLOGUE_DATA: _, ...inherited } = process.env
  const env = {
    ...inherited,
    POLYLOGUE_MODEL: 'demo',
    XDG_CONFIG_HOME: join(cwd, '..', 'settings'),
    PATH: `${dirname(process.execPath)}${delimiter}${inherited['PATH'] ?? ''}`,
  }
  const shell = spawn('bash', [script], { cwd, env, detached: true, stdio: 'ignore' })
  const { pid } = shell
  if (pid === undefined) throw new Error('the commands of our pages need bash')
  try {
    const [code] = (await once(shell, 'exit', { signal: AbortSignal.timeout(END_WITHIN_MS) })) as [number | null]
    if (code !== 0) throw new Error(`the commands ended with ${String(code)}`)
  } finally {
    endGroup(pid)
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

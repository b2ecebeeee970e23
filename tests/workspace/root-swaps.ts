// Root, link and mount swaps under load: while another process exchanges the root of a session, or a directory above
// it, the tools of the session are used. Each case counts only if a program that goes by name is led outside.
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject, RootPin, Tool } from '@polylogue/engine'
import { createInvocation } from '@polylogue/testkit'
import { createBashTool, createFileTools, holdRoot, createProtectedSet } from '@polylogue/tools'
import { type SwapAttacker, startSwapping } from './swap-attacker.ts'

export interface SwapCase {
  /** What stands in the place of the root, every other moment. */
  readonly swap: keyof typeof SWAPS
  /** Where it leads. */
  readonly target: (typeof TARGETS)[number]
  readonly call: keyof typeof CALLS
}

export interface SwapResult {
  /** Cases in which a program that goes by name was led outside. */
  readonly counted: number
  readonly calls: number
  readonly refused: number
  readonly escapes: readonly string[]
}

/** Not below the folder for temporary files, which the sandbox replaces. */
const BASE = '/var/tmp'
const SECRET = 'a SECRET of somebody else'
const OWN = 'own text'
const TARGETS = ['beside', 'data', 'deep/inside/a/tree', 'other-user'] as const

interface SwapPlace {
  readonly dir: string
  readonly target: string
}

/** What `root` is exchanged with; answers the two names. */
const SWAPS = {
  link: ({ dir, target }: SwapPlace) => exchange(dir, 'shared/sub', () => symlinkSync(target, join(dir, 'swap'))),
  'link to a link': ({ dir, target }: SwapPlace) =>
    exchange(dir, 'shared/sub', () => {
      symlinkSync(target, join(dir, 'hop'))
      symlinkSync('hop', join(dir, 'shared', 'hop'))
      symlinkSync('../hop', join(dir, 'shared', 'hop-back'))
      symlinkSync(join(dir, 'hop'), join(dir, 'swap'))
    }),
  'relative link': ({ dir, target }: SwapPlace) =>
    exchange(dir, 'shared/sub', () => symlinkSync(`../${target.slice(dir.length + 1)}`, join(dir, 'swap'))),
  'folder above': ({ dir, target }: SwapPlace) =>
    exchange(dir, 'shared', () => {
      mkdirSync(join(dir, 'above'))
      symlinkSync(target, join(dir, 'above', 'sub'))
      symlinkSync(join(dir, 'above'), join(dir, 'swap'))
    }),
  folder: ({ dir, target }: SwapPlace) => [join(dir, 'shared/sub'), target] as const,
} as const

function exchange(dir: string, name: string, make: () => void): readonly [string, string] {
  make()
  return [join(dir, name), join(dir, 'swap')]
}

/** What a tool is asked to do, and how a program that goes by name would do it. */
const CALLS = {
  Read: { tool: 'Read', input: { path: 'text.txt' } },
  Grep: { tool: 'Grep', input: { pattern: 'SECRET' } },
  Glob: { tool: 'Glob', input: { pattern: 'secret-*' } },
  Write: { tool: 'Write', input: { path: 'written.txt', content: 'ours' } },
  Edit: { tool: 'Edit', input: { path: 'text.txt', oldText: 'text', newText: 'text' } },
  Bash: { tool: 'Bash', input: { command: 'cat text.txt; ls; echo ours > written.txt' } },
  'Bash without a sandbox': { tool: 'Bash', input: { command: 'cat text.txt; ls; echo ours > written.txt' } },
} as const satisfies Readonly<Record<string, { readonly tool: string; readonly input: JsonObject }>>

export const SWAP_CASES: readonly SwapCase[] = (Object.keys(SWAPS) as (keyof typeof SWAPS)[]).flatMap((swap) =>
  TARGETS.flatMap((target) => (Object.keys(CALLS) as (keyof typeof CALLS)[]).map((call) => ({ swap, target, call }))),
)

/** Plays each case `rounds` times while its names are exchanged. */
export async function playSwaps(cases: readonly SwapCase[], rounds: number): Promise<SwapResult> {
  const escapes: string[] = []
  let [counted, calls, refused] = [0, 0, 0]
  for (const one of cases) {
    const world = await createSwapWorld(one)
    try {
      for (let round = 0; round < rounds; round += 1) {
        calls += 1
        const said = await world.call()
        if (said === undefined) refused += 1
        else if (said.includes('SECRET') || said.includes('secret-')) escapes.push(`${nameOf(one)} told: ${said}`)
      }
      if (await world.isNaiveLedOutside()) counted += 1
      await world.stop()
      for (const trace of world.traces()) escapes.push(`${nameOf(one)} left ${trace}`)
    } finally {
      await world.stop()
      world.remove()
    }
  }
  return { counted, calls, refused, escapes }
}

const nameOf = ({ swap, target, call }: SwapCase): string =>
  `${call} while the root is swapped by a ${swap} to ${target}`

interface SwapWorld {
  /** What the tool answered; `undefined` when it refused. */
  call(): Promise<string | undefined>
  isNaiveLedOutside(): Promise<boolean>
  /** What was done outside. */
  traces(): readonly string[]
  stop(): Promise<void>
  remove(): void
}

async function createSwapWorld({ swap, target, call }: SwapCase): Promise<SwapWorld> {
  const dir = realpathSync(mkdtempSync(join(BASE, 'polylogue-swaps-')))
  const root = join(dir, 'shared', 'sub')
  const outside = join(dir, target)
  for (const folder of [root, outside]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(root, 'text.txt'), OWN)
  writeFileSync(join(outside, 'text.txt'), SECRET)
  writeFileSync(join(outside, 'secret-name'), '')
  const held = await holdRoot(root)
  if (held === undefined) throw new Error(`${root} cannot be held`)
  const pins: readonly RootPin[] = [{ path: root, identity: held.identity }]
  const tool = toolFor(call, dir)
  const attacker: SwapAttacker = await startSwapping(SWAPS[swap]({ dir, target: outside }))
  let isStopped = false
  return {
    async call() {
      const workspace = { cwd: root, roots: [root], pins }
      try {
        const { content } = await tool.run(createInvocation(tool, CALLS[call].input, { workspace }))
        return typeof content === 'string' ? content : JSON.stringify(content)
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'FileProblem') throw error
        return undefined
      }
    },
    isNaiveLedOutside: () => isLedOutside(root),
    traces: () => tracesIn(swap === 'folder' ? findSecret(root, outside) : outside),
    async stop() {
      if (isStopped) return
      isStopped = true
      await attacker.stop()
      await held.close()
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

function toolFor(call: SwapCase['call'], dir: string): Tool {
  const sandbox = call === 'Bash' ? 'required' : 'none'
  const bash = createBashTool({ stateDir: join(dir, 'state'), outputDir: join(dir, 'outputs'), sandbox })
  const found = [...createFileTools({ protectedSet: createProtectedSet({}) }), bash].find(
    ({ name }) => name === CALLS[call].tool,
  )
  if (found === undefined) throw new Error(`there is no tool for ${call}`)
  return found
}

/** After an odd number of swaps of two folders, the one that was outside has the name of the root. */
const findSecret = (root: string, outside: string): string =>
  readdirSync(root).includes('secret-name') ? root : outside

function tracesIn(outside: string): readonly string[] {
  const names = readdirSync(outside).filter((name) => name !== 'secret-name' && name !== 'text.txt')
  const isChanged = readFileSync(join(outside, 'text.txt'), 'utf8') !== SECRET
  return [...names, ...(isChanged ? ['a changed text.txt'] : [])]
}

const NAIVE_TRIES = 20_000

async function isLedOutside(root: string): Promise<boolean> {
  for (let attempt = 0; attempt < NAIVE_TRIES; attempt += 1) {
    const text = await readFile(join(root, 'text.txt'), 'utf8').catch(() => '')
    if (text === SECRET) return true
  }
  return false
}

/** Mounts something else over the root. Where this process may not mount, nothing is counted. */
export async function playMounts(rounds: number): Promise<SwapResult> {
  const dir = realpathSync(mkdtempSync(join(BASE, 'polylogue-mounts-')))
  const [root, outside] = [join(dir, 'sub'), join(dir, 'outside')]
  for (const folder of [root, outside]) mkdirSync(folder)
  writeFileSync(join(outside, 'text.txt'), SECRET)
  const held = await holdRoot(root)
  const workspace = { cwd: root, roots: [root], pins: [{ path: root, identity: held?.identity ?? '' }] }
  const escapes: string[] = []
  let [counted, calls, refused] = [0, 0, 0]
  try {
    for (let round = 0; round < rounds; round += 1) {
      if (!mount('--bind', outside, root)) break
      try {
        if (readFileSync(join(root, 'text.txt'), 'utf8') === SECRET) counted += 1
        for (const call of ['Read', 'Write', 'Bash', 'Bash without a sandbox'] as const) {
          const tool = toolFor(call, dir)
          calls += 1
          const said = await tool
            .run(createInvocation(tool, CALLS[call].input, { workspace }))
            .catch((error: unknown) => error)
          if (said instanceof Error && said.name === 'FileProblem') refused += 1
          else escapes.push(`${call} worked in what was mounted over the root: ${JSON.stringify(said)}`)
        }
      } finally {
        execFileSync('umount', ['--lazy', root])
      }
    }
    return {
      counted,
      calls,
      refused,
      escapes: [...escapes, ...tracesIn(outside).filter((one) => one !== 'secret-name')],
    }
  } finally {
    await held?.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

function mount(...args: readonly string[]): boolean {
  try {
    execFileSync('mount', args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

import { mkdir, readFile, readdir, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createInvocation } from '@polylogue/testkit'
import { createBashTool } from '@polylogue/tools'
import { createTempDir } from '../support/temp-dir.ts'
import { TREE_SHAPES } from './tree-shapes.ts'

export interface CancelPlan {
  readonly cancels: number
  readonly sandbox: 'none' | 'required'
  /** So many at a time. */
  readonly beside: number
  /** From the cancel until the call has ended; two seconds are promised, if the machine has nothing else to do. */
  readonly withinMs: number
}

export interface CancelResult {
  readonly complaints: readonly string[]
  /** From the cancel until the call had ended. */
  readonly longestMs: number
  /** How many cancels each shape saw. */
  readonly perShape: Readonly<Record<string, number>>
}

/** Several times the pause between two writes. */
const WATCH_MS = 60

/** Starts a tree of each shape in turn, cancels it as soon as it stands, and looks for what is left. */
export async function cancelTrees({ cancels, sandbox, beside, withinMs }: CancelPlan): Promise<CancelResult> {
  const folder = await createTempDir()
  const tool = createBashTool({
    stateDir: join(folder.path, 'state'),
    outputDir: join(folder.path, 'outputs'),
    sandbox,
  })
  const shapes = Object.entries(TREE_SHAPES)
  const complaints: string[] = []
  const perShape: Record<string, number> = {}
  let longestMs = 0
  let next = 0

  async function cancelOne(index: number): Promise<void> {
    const [shape, command] = shapes[index % shapes.length] ?? ['', '']
    const cwd = join(folder.path, `workspace-${index}-end`)
    await mkdir(cwd)
    const stop = new AbortController()
    const ready = Promise.withResolvers<void>()
    const progress = (text: string) => void (text.includes('ready') && ready.resolve())
    const call = createInvocation(
      tool,
      { command },
      { workspace: { cwd, roots: [cwd] }, signal: stop.signal, progress },
    )
    const running = tool.run(call)
    await Promise.race([ready.promise, running])
    const cancelledAt = performance.now()
    stop.abort()
    await running
    const tookMs = performance.now() - cancelledAt
    longestMs = Math.max(longestMs, tookMs)
    perShape[shape] = (perShape[shape] ?? 0) + 1
    if (tookMs > withinMs) complaints.push(`${shape}: ended ${Math.round(tookMs)} ms after the cancel`)
    const before = await sizesIn(cwd)
    const left = await processesOf(cwd)
    if (left.length > 0) complaints.push(`${shape}: still there: ${left.join(', ')}`)
    await delay(WATCH_MS)
    const after = await sizesIn(cwd)
    if (before !== after) complaints.push(`${shape}: wrote after the end: ${before} then ${after}`)
  }

  async function work(): Promise<void> {
    while (next < cancels) await cancelOne(next++)
  }

  try {
    await Promise.all(Array.from({ length: beside }, work))
  } finally {
    await folder.remove()
  }
  return { complaints, longestMs, perShape }
}

async function sizesIn(folder: string): Promise<string> {
  const names = await readdir(folder)
  const sizes = await Promise.all(names.map(async (name) => `${name} ${(await stat(join(folder, name))).size}`))
  return sizes.sort().join(', ')
}

/** Found by another way than the tool's: whoever works in this folder, or names it in its arguments. */
async function processesOf(folder: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [cwd, commandLine, status] = await Promise.all([
        readlink(`/proc/${pid}/cwd`).catch(() => ''),
        readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
        readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''),
      ])
      const isAlive = status !== '' && !/\) [ZX] /.test(status)
      return isAlive && (cwd === folder || commandLine.includes(folder)) ? [`${pid} ${commandLine.slice(0, 80)}`] : []
    }),
  )
  return found.flat()
}

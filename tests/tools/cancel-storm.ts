// Turns whose commands have grown process trees that are hard to end, cancelled over AAP.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { TREE_SHAPES } from '../bash/tree-shapes.ts'
import { eventually } from '../support/eventually.ts'
import { NEXT, call, script } from '../support/script.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { findProcesses, untilGone } from './processes.ts'
import { type Serving, grant, openToolSession } from './tool-session.ts'
import { writeConfig } from './write-config.ts'

export interface CancelStorm {
  readonly sandbox: 'none' | 'required'
  readonly cancels: number
  /** So many at a time. */
  readonly beside: number
  /** What a tree may take to be gone, from the moment at which its turn had ended. */
  readonly goneWithinMs: number
}

export interface StormResult {
  readonly complaints: readonly string[]
  /** From the request to cancel until the stream of the turn had ended, of each cancel. */
  readonly visibleMs: readonly number[]
  readonly perShape: Readonly<Record<string, number>>
}

interface Ended {
  readonly shape: string
  readonly workspace: string
  /** Of all files when the last process was gone. */
  readonly sizes: string
}

/** So that a command which ends by itself does not end its turn. */
const LONGER_THAN_THE_TEST = 'sleep 600000'

export async function cancelTurns({ sandbox, ...storm }: CancelStorm): Promise<StormResult> {
  const dir = await createTempDir()
  const startDir = await writeConfig(dir, { bash: { sandbox } })
  const server = await startServerProcess({ dataDir: join(dir.path, 'data'), startDir })
  try {
    return await cancelAt(server, storm)
  } finally {
    await server.kill()
    await dir.remove()
  }
}

async function cancelAt(
  server: Serving,
  { cancels, beside, goneWithinMs }: Omit<CancelStorm, 'sandbox'>,
): Promise<StormResult> {
  const shapes = Object.entries(TREE_SHAPES)
  const complaints: string[] = []
  const visibleMs: number[] = []
  const ended: Ended[] = []
  const perShape: Record<string, number> = {}
  let next = 0

  async function cancelOne(index: number): Promise<void> {
    const [shape, command] = shapes[index % shapes.length] ?? ['', '']
    const session = await openToolSession(server)
    const { workspace } = session
    const asked = await session.turn(script(call('tree', 'Bash', { command }), NEXT, LONGER_THAN_THE_TEST))
    if (asked.stopReason !== 'tool_use') throw new Error(`${shape}: was not asked for: ${JSON.stringify(asked)}`)
    const stream = await session.stream('message', [grant('tree')])
    await eventually(async () => {
      // In the sandbox, what its command left behind dies with it at once.
      const isOver = stream.frames.some(({ event }) => event === 'tool_result')
      return isOver || (await isStanding(workspace)) ? true : undefined
    }, `${shape}: it stands`)
    const cancelledAt = performance.now()
    const [{ status }, stop] = await Promise.all([
      session.client.cancel(session.id),
      stream.until(({ event }) => event === 'turn_stop').then(({ data }) => ({ data, at: performance.now() })),
    ])
    visibleMs.push(stop.at - cancelledAt)
    if (status !== 202) complaints.push(`${shape}: the cancel was answered with ${status}`)
    if (stop.data['cancelled'] !== true) complaints.push(`${shape}: ended with ${JSON.stringify(stop.data)}`)
    await untilGone(workspace, goneWithinMs).catch((error: unknown) => complaints.push(`${shape}: ${String(error)}`))
    ended.push({ shape, workspace, sizes: await sizesIn(workspace) })
    perShape[shape] = (perShape[shape] ?? 0) + 1
    const after = (await session.events()).at(-1)?.event.type
    if (after !== 'turn.ended') complaints.push(`${shape}: the last event is ${after}`)
  }

  async function work(): Promise<void> {
    while (next < cancels) await cancelOne(next++)
  }

  await Promise.all(Array.from({ length: beside }, work))
  for (const { shape, workspace, sizes } of ended) {
    const now = await sizesIn(workspace)
    if (now !== sizes) complaints.push(`${shape}: wrote after the end: ${sizes}, then ${now}`)
  }
  return { complaints, visibleMs, perShape }
}

/** The smallest value that so large a part of them does not exceed. */
export function percentile(values: readonly number[], part: number): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length * part) - 1] ?? 0
}

/** Something of it writes, or has stopped itself before it could. */
async function isStanding(workspace: string): Promise<boolean> {
  if ((await sizesIn(workspace)).includes('beat')) return true
  return (await findProcesses(workspace)).some(({ isStopped }) => isStopped)
}

async function sizesIn(folder: string): Promise<string> {
  const names = await readdir(folder).catch(() => [])
  const sizes = await Promise.all(names.map(async (name) => `${name} ${(await stat(join(folder, name))).size}`))
  return sizes.toSorted().join(', ')
}

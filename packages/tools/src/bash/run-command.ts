// One command from its start until nothing of it is alive: output, limits, and what happens to processes it leaves.
import type { ChildProcess } from 'node:child_process'
import { closeSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { KeptOutput } from './kept-output.ts'
import type { LiveText } from './live-text.ts'
import type { OutputPipe } from './output-pipe.ts'
import { readTicks } from './process-table.ts'
import { type ProcessTree, createProcessTree, isGoneWithin, stopTree } from './process-tree.ts'

const ASK_MS = 1000
/** With what asking took, two seconds from the wish to stop until the call ends. */
const KILL_MS = 900
/** For processes that end by themselves right after the command, such as the other side of a `>(…)`. */
const LINGER_MS = 200
/** For the last of the output, when nobody can write any more. */
const DRAIN_MS = 500

/** In the machine's ticks, to be on the safe side of rounding. */
const A_SECOND = 100

export type StopReason = 'cancelled' | 'time-limit' | 'output-limit'

export interface CommandEnd {
  /** Absent when a signal ended it. */
  readonly exitCode?: number
  readonly signal?: string
  readonly stopped?: StopReason
  /** Processes that were killed after the command itself had ended. */
  readonly leftovers: number
  /** Not even killing ended all of it. */
  readonly survivors: number
}

export interface CommandRun {
  readonly marker: string
  readonly pipe: OutputPipe
  readonly start: (outputFd: number) => ChildProcess
  /** The program that holds all others, if there is one: they end with it. */
  readonly holder?: string
  readonly output: KeptOutput
  readonly live: LiveText
  readonly timeoutMs: number
  readonly mostBytes: number
  readonly signal: AbortSignal
}

export async function runCommand(run: CommandRun): Promise<CommandEnd> {
  const { pipe, output, live, marker, holder } = run
  const { promise: outputLimit, resolve: reachOutputLimit } = Promise.withResolvers<'output-limit'>()
  const startedAt = readTicks() - A_SECOND
  const child = startChild(run)
  const exited = exitOf(child)
  const ended = readAll(pipe.reader, (chunk) => {
    live.add(chunk)
    const mayGoOn = output.add(chunk)
    if (output.bytes >= run.mostBytes) reachOutputLimit('output-limit')
    return mayGoOn ? undefined : output.drained()
  })
  try {
    const stop = new AbortController()
    const first = await Promise.race([
      exited.then(() => 'exit' as const),
      outputLimit,
      timeLimit(run.timeoutMs, stop.signal),
      abortOf(run.signal, stop.signal),
    ])
    stop.abort()
    // Without a pid nothing was started; `exited` rejects with the reason.
    if (child.pid === undefined) await exited
    const tree = createProcessTree({
      marker,
      startedAt,
      ...(child.pid === undefined ? {} : { leader: child.pid }),
      ...(holder === undefined ? {} : { holder }),
    })
    const after = first === 'exit' ? await clearAway(tree) : await endTree(tree)
    const exit = await Promise.race([exited, delay(DRAIN_MS, undefined, { ref: false })])
    await Promise.race([ended, delay(DRAIN_MS, undefined, { ref: false })])
    return { ...exit, ...after, ...(first === 'exit' ? {} : { stopped: first }) }
  } finally {
    pipe.reader.destroy()
    live.finish()
    await output.close()
  }
}

function startChild({ pipe, signal, start }: CommandRun): ChildProcess {
  try {
    signal.throwIfAborted()
    return start(pipe.writerFd)
  } catch (error) {
    pipe.reader.destroy()
    throw error
  } finally {
    closeSync(pipe.writerFd)
  }
}

async function clearAway(tree: ProcessTree): Promise<Pick<CommandEnd, 'leftovers' | 'survivors'>> {
  if (await isGoneWithin(tree, LINGER_MS)) return { leftovers: 0, survivors: 0 }
  const leftovers = (await tree.find()).rows.length
  const isGone = await stopTree(tree, { askMs: LINGER_MS, killMs: KILL_MS })
  return { leftovers, survivors: isGone ? 0 : (await tree.find()).rows.length }
}

async function endTree(tree: ProcessTree): Promise<Pick<CommandEnd, 'leftovers' | 'survivors'>> {
  const isGone = await stopTree(tree, { askMs: ASK_MS, killMs: KILL_MS })
  return { leftovers: 0, survivors: isGone ? 0 : (await tree.find()).rows.length }
}

function exitOf(child: ChildProcess): Promise<Pick<CommandEnd, 'exitCode' | 'signal'>> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      resolve({ ...(code === null ? {} : { exitCode: code }), ...(signal === null ? {} : { signal }) })
    })
  })
}

function readAll(reader: Socket, take: (chunk: Buffer) => Promise<void> | undefined): Promise<void> {
  return new Promise((resolve) => {
    reader.on('data', (chunk) => {
      const wait = take(chunk)
      if (!wait) return
      reader.pause()
      void wait.then(() => reader.resume())
    })
    reader.once('end', resolve)
    reader.once('error', () => resolve())
    reader.once('close', () => resolve())
  })
}

async function timeLimit(ms: number, over: AbortSignal): Promise<'time-limit'> {
  await delay(ms, undefined, { signal: over }).catch(() => undefined)
  return 'time-limit'
}

function abortOf(signal: AbortSignal, over: AbortSignal): Promise<'cancelled'> {
  return new Promise((resolve) => {
    const cancel = () => resolve('cancelled')
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true, signal: over })
  })
}

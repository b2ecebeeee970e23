// Runs one command until all its processes have ended: output, limits, and processes that it leaves behind.
import type { ChildProcess } from 'node:child_process'
import { closeSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type Remains, clearAway, endTree } from './end-tree.ts'
import type { KeptOutput } from './kept-output.ts'
import type { LiveText } from './live-text.ts'
import type { OutputPipe } from './output-pipe.ts'
import { readTicks } from './process-table.ts'
import { createProcessTree } from './process-tree.ts'
import { type StopReason, abortOf, timeLimit } from './stop-reason.ts'
import { watchUsage } from './watch-usage.ts'
import type { CommandLimits } from './command-limits.ts'

/** How long to wait for the rest of the output after all writers have ended. */
const DRAIN_MS = 500

/** In clock ticks: a margin for rounding. */
const A_SECOND = 100

export interface CommandEnd extends Remains {
  /** Absent when a signal ended it. */
  readonly exitCode?: number
  readonly signal?: string
  readonly stopped?: StopReason
}

export interface CommandRun {
  readonly marker: string
  readonly pipe: OutputPipe
  readonly start: (outputFd: number) => ChildProcess
  /** The program that contains all others, if there is one. They end with it. */
  readonly holder?: string
  readonly output: KeptOutput
  readonly live: LiveText
  readonly timeoutMs: number
  readonly mostBytes: number
  readonly signal: AbortSignal
  /** Limits that are enforced here because there is no control group. */
  readonly watched?: CommandLimits
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
    const tree = createProcessTree({
      marker,
      startedAt,
      ...(child.pid === undefined ? {} : { leader: child.pid }),
      ...(holder === undefined ? {} : { holder }),
    })
    const first = await Promise.race([
      exited.then(() => 'exit' as const),
      outputLimit,
      timeLimit(run.timeoutMs, stop.signal),
      abortOf(run.signal, stop.signal),
      ...(run.watched ? [watchUsage(tree, run.watched, stop.signal)] : []),
    ])
    stop.abort()
    // Without a pid nothing was started, and `exited` rejects with the reason.
    if (child.pid === undefined) await exited
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

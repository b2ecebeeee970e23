// Starts programs that serve MCP over standard input and output. The operator or the editor that started us names them,
// never a model. Each program has its own session and process group, carries a marker by which its children are found,
// and is listed on disk while it may be alive. If our process is killed, the programs see the end of their input, and
// `sweepLeftovers` ends the remaining ones at the next start.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { cleanEnvironment } from '../bash/clean-environment.ts'
import { createProcessTree, stopTree } from '../bash/process-tree.ts'
import { killWithChildren, toProgram } from '../host.ts'
import { machineProgram } from '../machine-program.ts'
import { forgetRunning, noteRunning } from '../bash/running-calls.ts'
import type { McpReach } from './mcp-server.ts'

export interface ServerProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  /** Ends the program and its children. Idempotent. Resolves when they are gone or nothing more can be done. */
  stop(): Promise<void>
}

/** A well-behaved server ends when its input does. */
const LEAVE_MS = 300
const ASK_MS = 500
const KILL_MS = 3000

/** The process groups to end when this process exits. */
const alive = new Set<number>()
let isHooked = false

/** Rejects if the program cannot be started. */
export async function startServerProcess(
  reach: Extract<McpReach, { type: 'stdio' }>,
  stateDir: string,
): Promise<ServerProcess> {
  const marker = randomBytes(16).toString('hex')
  await noteRunning(stateDir, marker)
  try {
    const { file, args, isVerbatim } = toProgram(reach)
    // A command of a workspace must not take its place when it is started again.
    const program = 'PATH' in reach.env ? file : machineProgram(file)
    const child = spawn(program, [...args], {
      env: cleanEnvironment(process.env, reach.env, marker),
      ...(reach.cwd === undefined ? {} : { cwd: reach.cwd }),
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      windowsVerbatimArguments: isVerbatim,
    })
    await untilSpawned(child)
    const { pid } = child
    if (pid === undefined) throw new Error('it has no process id')
    endWithUs(pid)
    let stopping: Promise<void> | undefined
    return { child, stop: () => (stopping ??= stopProcess(child, { pid, marker, stateDir })) }
  } catch (error) {
    await forgetRunning(stateDir, marker)
    throw error
  }
}

function untilSpawned(child: ServerProcess['child']): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    // Keep the listener: a later error must not end the process.
    child.on('error', reject)
  })
}

async function stopProcess(
  child: ServerProcess['child'],
  { pid, marker, stateDir }: { readonly pid: number; readonly marker: string; readonly stateDir: string },
): Promise<void> {
  child.stdin.on('error', () => {})
  child.stdin.end()
  // Unread output would keep it from exiting.
  child.stdout.resume()
  child.stderr.resume()
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null
  if (!hasEnded()) {
    const waiting = new AbortController()
    const exited = new Promise<void>((resolve) => void child.once('exit', () => resolve()))
    const left = delay(LEAVE_MS, undefined, { signal: waiting.signal }).catch(() => {})
    await Promise.race([exited, left])
    waiting.abort()
  }
  // The group id of a dead leader may be reused, unless a process of the group still holds it.
  const leader = hasEnded() ? {} : { leader: pid }
  const isGone = await stopTree(createProcessTree({ marker, ...leader }), { askMs: ASK_MS, killMs: KILL_MS })
  alive.delete(pid)
  child.stdin.destroy()
  child.stdout.destroy()
  child.stderr.destroy()
  if (isGone) await forgetRunning(stateDir, marker)
}

function endWithUs(pid: number): void {
  alive.add(pid)
  if (isHooked) return
  isHooked = true
  process.on('exit', () => {
    for (const leader of alive) killWithChildren(leader)
  })
}

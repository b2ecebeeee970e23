// Runs one command in the editor's terminal until all its processes have ended. The editor starts and ends the command.
// Processes that still carry the marker of the call on this machine are then ended here.
import type { EditorTerminal, EditorTerminals, TerminalOutput, ToolCallId } from '@polylogue/engine'
import { type Remains, clearAway, endTree } from './end-tree.ts'
import { toHarmless } from './harmless-text.ts'
import { type TerminalStart, openTerminal } from './open-terminal.ts'
import { type ProcessTree, createProcessTree } from './process-tree.ts'
import type { CommandEnd } from './run-command.ts'
import { abortOf, timeLimit } from './stop-reason.ts'

const OUTPUT_BYTES = 64 * 1024
const KEEP_MS = 1000
const UNKNOWN_START = 'The editor did not say whether it has started the command, which may have run.'

export interface TerminalRun {
  readonly terminals: EditorTerminals
  readonly toolCallId: ToolCallId
  readonly start: TerminalStart
  readonly marker: string
  /** The program that contains all others, if there is one. They end with it. */
  readonly holder?: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Gets the output of a command that is cancelled. */
  progress(text: string): void
}

export interface TerminalRunEnd {
  readonly end: CommandEnd
  readonly printed: string
}

/**
 * `undefined` when the editor refused and started nothing. Rejects when it is unknown whether the command started. Then
 * the command must not be started again.
 */
export async function runInTerminal(run: TerminalRun): Promise<TerminalRunEnd | undefined> {
  const { start, terminals, toolCallId, signal, marker, holder } = run
  const tree = createProcessTree({ marker, ...(holder === undefined ? {} : { holder }) })
  const opening = openTerminal(start, { terminals, toolCallId, signal, outputBytes: OUTPUT_BYTES })
  let terminal: EditorTerminal | undefined
  try {
    terminal = await opening
  } catch (error) {
    await endTree(tree)
    signal.throwIfAborted()
    throw new Error(UNKNOWN_START, { cause: error })
  }
  return terminal && watch(terminal, tree, run)
}

type End = Omit<CommandEnd, keyof Remains>

async function watch(
  terminal: EditorTerminal,
  tree: ProcessTree,
  { timeoutMs, signal, progress }: TerminalRun,
): Promise<TerminalRunEnd> {
  let end: End = { stopped: 'terminal-lost' }
  let output: TerminalOutput | undefined
  try {
    end = await endOf(terminal, { timeoutMs, signal })
    if (end.stopped === 'cancelled') await Promise.all([terminal.kill(), keepOutput(terminal, progress)])
    else {
      if (end.stopped !== undefined) await terminal.kill()
      output = await lastOutput(terminal)
    }
  } finally {
    await terminal.release()
  }
  const remains = end.stopped === undefined ? await clearAway(tree) : await endTree(tree)
  return { end: { ...end, ...remains }, printed: output ? toShown(output) : '' }
}

async function endOf(
  terminal: EditorTerminal,
  { timeoutMs, signal }: Pick<TerminalRun, 'timeoutMs' | 'signal'>,
): Promise<End> {
  const over = new AbortController()
  try {
    return await Promise.race([
      terminal.exited(over.signal).catch((): End => ({ stopped: 'terminal-lost' })),
      timeLimit(timeoutMs, over.signal).then((stopped): End => ({ stopped })),
      abortOf(signal, over.signal).then((stopped): End => ({ stopped })),
    ])
  } finally {
    over.abort()
  }
}

/** Nobody waits long for a cancelled call: its output counts if the editor answers at once. */
async function keepOutput(terminal: EditorTerminal, progress: TerminalRun['progress']): Promise<void> {
  const over = new AbortController()
  const kept = terminal.output().then(
    (output) => progress(toShown(output)),
    () => undefined,
  )
  await Promise.race([kept, timeLimit(KEEP_MS, over.signal)])
  over.abort()
}

/** Ignores output that can no longer be read, because the exit status is known. */
async function lastOutput(terminal: EditorTerminal): Promise<TerminalOutput | undefined> {
  try {
    return await terminal.output()
  } catch {
    return { text: '[The editor did not tell what it printed.]', isCut: false }
  }
}

/** Escape sequences for colours and cursor movement. */
// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g

function toShown({ text, isCut }: TerminalOutput): string {
  const bytes = Buffer.from(text)
  const isLonger = bytes.length > OUTPUT_BYTES
  const kept = isLonger
    ? bytes
        .subarray(-OUTPUT_BYTES)
        .toString()
        .replace(/^\ufffd+/, '')
    : text
  const note = isCut || isLonger ? '[… the beginning was left out …]\n' : ''
  return note + toHarmless(kept.replace(ESCAPES, ''))
}

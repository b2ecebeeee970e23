import { askApproval } from './ask-approval.ts'
import { ExitCode } from './exit-code.ts'
import type { Interruption } from './interruption.ts'
import { requestText, type OwnerLink } from './owner-link.ts'
import { readSessionRecord } from './read-session-record.ts'
import type { Terminal } from './terminal.ts'
import { toTerminalLine } from './terminal-text.ts'
import type { TurnPrinter } from './turn-printer.ts'
import { runTurn, sessionPath, type StreamedEvent, type StreamMode } from './turn-stream.ts'
import { findWaitingCalls, type ToolCall } from './waiting-calls.ts'
import type { TurnStop } from './wire.ts'

export interface Conversation {
  readonly link: OwnerLink
  readonly sessionId: string
  /** The tools of the client that began the session. It alone can answer their calls. */
  readonly clientTools: readonly string[]
  readonly mode: StreamMode
  readonly terminal: Terminal
  readonly printer: TurnPrinter
  readonly interruption: Interruption
  /** Whether a human sits there to approve tool calls. */
  readonly canAsk: boolean
  /** What to type in order to take the session up again. */
  readonly takeUpWith: string
}

/** What is to be shown first: a stream, or the calls that a resting turn waits for. */
export type Opening = { readonly events: AsyncIterable<StreamedEvent> } | { readonly waitingFor: readonly ToolCall[] }

interface Permission {
  readonly role: 'tool_permission'
  readonly toolCallId: string
  readonly granted: boolean
}

/** Shows the turn, asks for the approvals it waits for, and returns the exit code when it rests. */
export async function converse(conversation: Conversation, opening: Opening): Promise<number> {
  const { link, sessionId, mode, interruption } = conversation
  interruption.stopBy(() => void cancelTurn(conversation))
  let stage = opening
  for (;;) {
    if ('events' in stage) {
      const stop = await play(conversation.printer, stage.events)
      if (stop.stopReason !== 'tool_use') return conclude(conversation, stop)
      stage = { waitingFor: findWaitingCalls(await readSessionRecord(link, sessionId)) }
    }
    if (interruption.isRequested) return ExitCode.cancelled
    const answers = await askForPermissions(conversation, stage.waitingFor)
    if (answers === 'cancel') {
      await cancelTurn(conversation)
      return ExitCode.cancelled
    }
    if (answers === undefined) {
      explainWaiting(conversation, stage.waitingFor)
      return ExitCode.waiting
    }
    stage = { events: runTurn(link, { sessionId, mode, body: { messages: answers } }) }
  }
}

async function play(printer: TurnPrinter, events: AsyncIterable<StreamedEvent>): Promise<TurnStop> {
  try {
    for await (const streamed of events) {
      printer.print(streamed)
      if (streamed.event?.event === 'turn_stop') return streamed.event
    }
  } finally {
    printer.finish()
  }
  throw new Error('The stream of a turn ended without its stop.')
}

/** `undefined`: there is nobody to ask, or a call waits for something else than a yes or no. */
async function askForPermissions(
  { clientTools, terminal, canAsk }: Conversation,
  calls: readonly ToolCall[],
): Promise<readonly Permission[] | 'cancel' | undefined> {
  if (!canAsk || calls.length === 0 || calls.some(({ name }) => clientTools.includes(name))) return undefined
  const permissions: Permission[] = []
  for (const call of calls) {
    const answer = await askApproval(terminal, call)
    if (answer === undefined || answer === 'cancel') return answer
    permissions.push({ role: 'tool_permission', toolCallId: call.toolCallId, granted: answer === 'yes' })
  }
  return permissions
}

async function cancelTurn({ link, sessionId, terminal }: Conversation): Promise<void> {
  try {
    await requestText(link, { method: 'POST', path: `${sessionPath(sessionId)}/cancel`, body: {} })
  } catch (error) {
    terminal.stderr.write(
      `The turn could not be cancelled: ${error instanceof Error ? error.message : String(error)}\n`,
    )
  }
}

function conclude({ terminal: { stderr } }: Conversation, stop: TurnStop): number {
  switch (stop.stopReason) {
    case 'end_turn':
      return ExitCode.done
    case 'max_tokens':
      stderr.write('The answer was cut off at the model’s token limit.\n')
      return ExitCode.done
    case 'refusal':
      stderr.write('The model declined to answer.\n')
      return ExitCode.done
    default:
      if (stop.cancelled) {
        stderr.write('Cancelled.\n')
        return ExitCode.cancelled
      }
      stderr.write(`The turn failed${stop.error ? `: ${toTerminalLine(stop.error.message)}` : '.'}\n`)
      return ExitCode.failed
  }
}

function explainWaiting({ terminal: { stderr }, takeUpWith }: Conversation, calls: readonly ToolCall[]): void {
  for (const call of calls) {
    stderr.write(`Waiting for an answer: ${toTerminalLine(`${call.name} ${JSON.stringify(call.input)}`)}\n`)
  }
  stderr.write('Nothing was approved; the turn rests until somebody answers, in the browser or at a terminal with\n')
  stderr.write(`  ${takeUpWith}\n`)
}

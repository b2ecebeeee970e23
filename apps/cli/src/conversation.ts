import { askApproval } from './ask-approval.ts'
import { askQuestions } from './ask-questions.ts'
import { ExitCode } from './exit-code.ts'
import type { Interruption } from './interruption.ts'
import { requestText, type OwnerLink } from './owner-link.ts'
import type { Terminal } from './terminal.ts'
import { toTerminalLine } from './terminal-text.ts'
import type { TurnPrinter } from './turn-printer.ts'
import { runTurn, sessionPath, type StreamedEvent, type StreamMode } from './turn-stream.ts'
import { readWaitingCalls, type WaitingCall } from './waiting-calls.ts'
import { formatOwner } from './what-runs.ts'
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
  /** Whether a human sits there to approve tool calls and answer questions. */
  readonly canAsk: boolean
  /** What to type in order to take the session up again. */
  readonly takeUpWith: string
}

/** What is to be shown first: a stream, or the calls that a resting turn waits for. */
export type Opening =
  | { readonly events: AsyncIterable<StreamedEvent> }
  | { readonly waitingFor: readonly WaitingCall[] }

type CallAnswer =
  | { readonly role: 'tool_permission'; readonly toolCallId: string; readonly granted: boolean }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string }

/** Shows the turn, asks for the approvals and answers it waits for, and returns the exit code when it rests. */
export async function converse(conversation: Conversation, opening: Opening): Promise<number> {
  const { link, sessionId, mode, interruption } = conversation
  interruption.stopBy(() => void cancelTurn(conversation))
  let stage = opening
  for (;;) {
    if ('events' in stage) {
      const stop = await play(conversation.printer, stage.events)
      if (stop.stopReason !== 'tool_use') return conclude(conversation, stop)
      stage = { waitingFor: await readWaitingCalls(link, sessionId) }
    }
    if (interruption.isRequested) return ExitCode.cancelled
    const answers = await askForAnswers(conversation, stage.waitingFor)
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

/** `undefined`: there is nobody to ask, or a call waits for a client that alone can answer it. */
async function askForAnswers(
  conversation: Conversation,
  calls: readonly WaitingCall[],
): Promise<readonly CallAnswer[] | 'cancel' | undefined> {
  const { clientTools, canAsk } = conversation
  const isOfClient = ({ route, name }: WaitingCall) =>
    route === undefined ? clientTools.includes(name) : route === 'client'
  if (!canAsk || calls.length === 0 || calls.some(isOfClient)) return undefined
  const answers: CallAnswer[] = []
  for (const call of calls) {
    const answer = await askAbout(conversation, call)
    if (answer === undefined || answer === 'cancel') return answer
    answers.push(answer)
  }
  return answers
}

async function askAbout({ terminal }: Conversation, call: WaitingCall): Promise<CallAnswer | 'cancel' | undefined> {
  const { toolCallId, route } = call
  if (route === 'question') {
    const answer = await askQuestions(terminal, call)
    return answer === undefined || answer === 'cancel' ? answer : { role: 'tool', toolCallId, content: answer.text }
  }
  const answer = await askApproval(terminal, call)
  if (answer === undefined || answer === 'cancel') return answer
  return { role: 'tool_permission', toolCallId, granted: answer === 'yes' }
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

function explainWaiting({ terminal: { stderr }, takeUpWith }: Conversation, calls: readonly WaitingCall[]): void {
  for (const { name, input, subAgent } of calls) {
    const owner = subAgent === undefined ? '' : `${formatOwner(subAgent)}: `
    stderr.write(`Waiting for an answer: ${owner}${toTerminalLine(`${name} ${JSON.stringify(input)}`)}\n`)
  }
  stderr.write('Nothing was approved; the turn rests until somebody answers, in the browser or at a terminal with\n')
  stderr.write(`  ${takeUpWith}\n`)
}

import type { CallAnswer, StopOutcome, StreamMode, StreamedUpdate } from '@polylogue/aap/client'
import type { WaitingCall } from '@polylogue/console/client'
import { askApproval } from './ask-approval.ts'
import { askQuestions, formatQuestions } from './ask-questions.ts'
import { ExitCode } from './exit-code.ts'
import type { Interruption } from './interruption.ts'
import type { Terminal } from './terminal.ts'
import { toTerminalLine } from './terminal-text.ts'
import type { TurnPrinter } from './turn-printer.ts'
import { attachTurn, runTurn } from './turns.ts'
import { formatWhatRuns } from './what-runs.ts'
import type { Owner } from './with-owner.ts'

export interface Conversation {
  readonly owner: Owner
  readonly sessionId: string
  readonly stream: StreamMode
  readonly terminal: Terminal
  readonly printer: TurnPrinter
  readonly interruption: Interruption
  /** Whether somebody can approve tool calls and answer questions at this terminal. */
  readonly canAsk: boolean
  /** The command line that continues the session. */
  readonly continueWith: string
  /** Asks about one call at a time, and offers to allow more than the call. */
  readonly offersScopes?: boolean
  /** The user has read a call and is asked about it. */
  readonly onAsk?: (toolCallId: string) => void
  /** Learns what an update does not tell, before it is printed. */
  readonly beforePrint?: (streamed: StreamedUpdate) => Promise<void>
  /** Reads the keys while a turn runs and nobody is asked. */
  readonly watchKeys?: () => Disposable
}

/** What is shown first: a stream, or the calls that a paused turn waits for. */
export type Opening =
  | { readonly updates: AsyncIterable<StreamedUpdate> }
  | { readonly waitingFor: readonly WaitingCall[] }

/** Shows the turn, asks for the approvals and answers that it waits for, and returns the exit code when it rests. */
export async function converse(conversation: Conversation, opening: Opening): Promise<number> {
  const { interruption } = conversation
  interruption.stopBy(() => void cancelTurn(conversation))
  let stage = opening
  for (;;) {
    if ('updates' in stage) {
      const stop = await play(conversation, stage.updates)
      if (stop.outcome !== 'waiting') return conclude(conversation, stop)
      stage = { waitingFor: await readWaiting(conversation) }
    }
    if (interruption.isRequested) return ExitCode.cancelled
    const answers = await askForAnswers(conversation, stage.waitingFor)
    if (answers === 'cancel') {
      await cancelTurn(conversation)
      return conclude(conversation, { outcome: 'cancelled' })
    }
    if (answers === undefined) {
      explainWaiting(conversation, stage.waitingFor)
      return ExitCode.waiting
    }
    stage = { updates: sendAnswers(conversation, answers) }
  }
}

/** Allows a call, and what one of its offers covers, for the rest of the session. */
interface CoveringAnswer {
  readonly type: 'covering'
  readonly toolCallId: string
  readonly offer: string
}

type Answers = readonly CallAnswer[] | CoveringAnswer

async function* sendAnswers(
  { owner, sessionId, stream }: Conversation,
  answers: Answers,
): AsyncGenerator<StreamedUpdate> {
  if (!('type' in answers)) {
    yield* runTurn(owner.aap, { sessionId, stream, say: answers })
    return
  }
  const { toolCallId, offer } = answers
  const { events } = await owner.console.readSession({ id: sessionId, query: { messages: '0' } })
  await owner.console.answerApproval({ id: sessionId, call: toolCallId, body: { granted: true, offer } })
  yield* attachTurn(owner.aap, sessionId, String(events))
}

export async function readWaiting({
  owner,
  sessionId,
}: Pick<Conversation, 'owner' | 'sessionId'>): Promise<readonly WaitingCall[]> {
  return (await owner.console.readWaiting({ id: sessionId })).calls
}

interface Stop {
  readonly outcome: StopOutcome
  readonly error?: string
}

async function play(
  { printer, beforePrint, watchKeys }: Conversation,
  updates: AsyncIterable<StreamedUpdate>,
): Promise<Stop> {
  using _keys = watchKeys?.()
  try {
    for await (const streamed of updates) {
      await beforePrint?.(streamed)
      printer.print(streamed)
      if (streamed.update?.type === 'stopped') return streamed.update
    }
  } finally {
    printer.finish()
  }
  throw new Error('The stream of a turn ended without its stop.')
}

/** `undefined`: nobody can be asked, or a call waits for the client that brought its tool. */
async function askForAnswers(
  { terminal, canAsk, offersScopes = false, onAsk }: Conversation,
  calls: readonly WaitingCall[],
): Promise<Answers | 'cancel' | undefined> {
  if (!canAsk || calls.length === 0 || calls.some(({ waitsFor }) => waitsFor === 'client')) return undefined
  const answers: CallAnswer[] = []
  for (const call of offersScopes ? calls.slice(0, 1) : calls) {
    onAsk?.(call.toolCallId)
    const answer = await askAbout(terminal, call, offersScopes)
    if (answer === undefined || answer === 'cancel' || answer.type === 'covering') return answer
    answers.push(answer)
  }
  return answers
}

async function askAbout(
  terminal: Terminal,
  call: WaitingCall,
  offersScopes: boolean,
): Promise<CallAnswer | CoveringAnswer | 'cancel' | undefined> {
  const { toolCallId, waitsFor } = call
  if (waitsFor === 'answer') {
    const answer = await askQuestions(terminal, call)
    return answer === undefined || answer === 'cancel' ? answer : { type: 'result', toolCallId, content: answer.text }
  }
  const answer = await askApproval(terminal, call, offersScopes ? (call.approval?.offers ?? []) : [])
  if (answer === undefined || answer === 'cancel') return answer
  if (typeof answer === 'object') return { type: 'covering', toolCallId, offer: answer.offer }
  return { type: 'approval', toolCallId, granted: answer === 'yes' }
}

async function cancelTurn({ owner, sessionId, terminal }: Conversation): Promise<void> {
  try {
    await owner.aap.cancelTurn(sessionId)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    terminal.stderr.write(`The turn could not be cancelled: ${toTerminalLine(why)}\n`)
  }
}

function conclude({ terminal: { stderr } }: Conversation, { outcome, error }: Stop): number {
  switch (outcome) {
    case 'finished':
    case 'waiting':
      return ExitCode.done
    case 'token-limit':
      stderr.write('The answer was cut off at the token limit of the model.\n')
      return ExitCode.done
    case 'refused':
      stderr.write('The model declined to answer.\n')
      return ExitCode.done
    case 'cancelled':
      stderr.write('Cancelled.\n')
      return ExitCode.cancelled
    case 'failed':
      stderr.write(`The turn failed${error === undefined ? '.' : `: ${toTerminalLine(error)}`}\n`)
      return ExitCode.failed
  }
}

function explainWaiting({ terminal: { stderr }, continueWith }: Conversation, calls: readonly WaitingCall[]): void {
  for (const call of calls) {
    stderr.write(`Waiting: ${toTerminalLine(call.sentence)}\n`)
    const lines = call.waitsFor === 'answer' ? formatQuestions(call) : formatWhatRuns(call)
    for (const line of lines) stderr.write(`  ${line}\n`)
  }
  stderr.write('Nothing was approved. Answer in the browser, or at a terminal with\n')
  stderr.write(`  ${continueWith}\n`)
}

import { textOf, type SeedMessage, type StepBlock } from '../content.ts'
import { unreachable } from '../errors.ts'
import type { Recorded, SessionCreated, StepAnswered } from '../events/recorded-event.ts'
import { ROOT_LOOP, type ToolCallId } from '../ids.ts'
import { openSeedCalls } from './open-seed-calls.ts'
import type { ActiveStep, ActiveTurn, CallPhase, OpenCall, SessionState } from './state.ts'

const TITLE_LENGTH = 60

/** Folds one recorded event into the state. Pure; a log always folds to the same state. */
export function evolve(state: SessionState | undefined, recorded: Recorded): SessionState {
  const { seq, at, event } = recorded
  if (state === undefined) {
    if (event.type === 'session.created') return created(event, seq, at)
    throw new Error(`a log begins with session.created, not ${event.type}`)
  }
  return { ...apply(state, recorded), seq, updatedAt: at }
}

function created(event: SessionCreated, seq: number, at: number): SessionState {
  const { sessionId, userId, agent, access, clientTools, options, secretOptions, preset } = event
  return {
    seq,
    sessionId,
    userId,
    agent,
    access,
    clientTools,
    options,
    secretOptions,
    preset,
    queue: [],
    seededCalls: [],
    createdAt: at,
    updatedAt: at,
  }
}

function apply(state: SessionState, recorded: Recorded): SessionState {
  const { seq, event } = recorded
  switch (event.type) {
    case 'session.created':
      throw new Error('session.created stands only at the beginning of a log')
    case 'session.seeded':
      return titled(
        { ...state, head: event.entryId, seededCalls: openSeedCalls(event.messages) },
        firstUserText(event.messages),
      )
    case 'session.configured':
      return {
        ...state,
        access: event.access ?? state.access,
        clientTools: event.clientTools ?? state.clientTools,
        options: { ...state.options, ...event.options },
        secretOptions: [...new Set([...state.secretOptions, ...(event.secretOptions ?? [])])],
        preset: event.preset ?? state.preset,
      }
    case 'input.admitted': {
      const { inputId, turnId, content } = event
      return titled({ ...state, queue: [...state.queue, { inputId, turnId, content }] }, textOf(content))
    }
    case 'input.dropped':
      return { ...state, queue: state.queue.filter((input) => input.inputId !== event.inputId) }
    case 'turn.started':
      return {
        ...state,
        head: event.inputId ?? state.head,
        queue: state.queue.filter((input) => input.inputId !== event.inputId),
        seededCalls: [],
        turn: {
          turnId: event.turnId,
          status: 'running',
          recovery: event.recovery,
          takeovers: 0,
          answeredSteps: 0,
          step: event.inputId === undefined && state.head !== undefined ? seededStep(state, seq) : undefined,
        },
      }
    case 'turn.paused':
      return withTurn(state, (turn) => ({ ...turn, status: 'waiting' }))
    case 'turn.resumed':
      return withTurn(state, (turn) => ({ ...turn, status: 'running' }))
    case 'turn.cancel-requested':
      return withTurn(state, (turn) => ({ ...turn, cancelled: event.reason }))
    case 'turn.taken-over':
      return withTurn(state, (turn) => ({ ...turn, takeovers: event.count }))
    case 'turn.ended':
      return { ...state, turn: undefined, lastOutcome: event.outcome }
    case 'step.started':
      if (event.loopId !== ROOT_LOOP) return state
      return {
        ...withTurn(state, (turn) => ({
          ...turn,
          step: { stepId: event.stepId, loopId: event.loopId, stepSeq: seq, phase: 'asking', calls: [] },
        })),
        head: event.stepId,
      }
    case 'step.answered':
      return withTurn(state, (turn) => ({
        ...turn,
        answeredSteps: turn.answeredSteps + 1,
        step: turn.step && { ...turn.step, phase: 'settling', finish: event.finish, calls: callsOf(event) },
      }))
    case 'step.ended':
      return withTurn(state, (turn) => ({ ...turn, step: undefined }))
    case 'approval.requested':
      return withCall(state, event.toolCallId, 'awaiting-approval')
    case 'approval.resolved':
      return event.granted ? withCall(state, event.toolCallId, 'ready') : state
    case 'tool-call.started':
      return withCall(state, event.toolCallId, 'running', event.attempt)
    case 'tool-call.settled':
      return withCall(state, event.toolCallId, 'settled')
    default:
      return unreachable(event)
  }
}

function withTurn(state: SessionState, change: (turn: ActiveTurn) => ActiveTurn): SessionState {
  if (state.turn === undefined) throw new Error('this event needs an active turn')
  return { ...state, turn: change(state.turn) }
}

function withCall(state: SessionState, id: ToolCallId, phase: CallPhase, attempt?: number): SessionState {
  return withTurn(state, (turn) => {
    if (turn.step === undefined) throw new Error(`tool call ${id} has no open step`)
    const calls = turn.step.calls.map((call) =>
      call.toolCallId === id
        ? { ...call, phase, attempt: attempt ?? call.attempt, input: phase === 'settled' ? {} : call.input }
        : call,
    )
    return { ...turn, step: { ...turn.step, calls } }
  })
}

function callsOf(event: StepAnswered): readonly OpenCall[] {
  return event.blocks.filter(isCall).map(({ toolCallId, name, input }) => {
    const route = event.routes[toolCallId] ?? 'server'
    return { toolCallId, name, input, route, phase: route === 'client' ? 'awaiting-client' : 'ready', attempt: 0 }
  })
}

const isCall = (block: StepBlock) => block.type === 'tool-call'

/** A turn without input goes on where the seed ended: its open calls wait for the client that declared them. */
function seededStep(state: SessionState, seq: number): ActiveStep | undefined {
  if (state.head === undefined) return undefined
  return { stepId: state.head, loopId: ROOT_LOOP, stepSeq: seq, phase: 'settling', calls: state.seededCalls }
}

function firstUserText(messages: readonly SeedMessage[]): string {
  for (const message of messages) if (message.role === 'user') return textOf(message.content)
  return ''
}

function titled(state: SessionState, text: string): SessionState {
  if (state.title !== undefined) return state
  const title = text.trim().replace(/\s+/g, ' ')
  if (title === '') return state
  return { ...state, title: title.length > TITLE_LENGTH ? `${cutAtCharacter(title, TITLE_LENGTH - 1)}…` : title }
}

/** Never cuts a surrogate pair in half. */
function cutAtCharacter(text: string, length: number): string {
  const end = text.charCodeAt(length - 1)
  return text.slice(0, end >= 0xd800 && end <= 0xdbff ? length - 1 : length)
}

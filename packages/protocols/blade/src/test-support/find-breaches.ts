import { isDeepStrictEqual } from 'node:util'
import { applyPatch } from '../fold/apply-patch.ts'
import { toTurn } from '../fold/session-fold.ts'
import type { BladeOutput, PatchEnvelope, TurnProjection } from '../wire.ts'

/** The fields that patches alone must lead to. */
const LAW = [
  'id',
  'sequence',
  'turn_id',
  'loop_id',
  'kind',
  'role',
  'status',
  'blocks',
  'tool_calls',
  'parent_fork_tool_call_id',
] as const

export interface BreachOptions {
  /** Of the patch before the first one. */
  readonly sequence?: number
  /** A crash lies between: numbers may be left out, never used again. */
  readonly mayLeaveOut?: boolean
}

/** Whatever a session told breaks of its promises about order, numbers and equivalence; nothing, if all is well. */
export function findBreaches(outputs: readonly BladeOutput[], options: BreachOptions = {}): readonly string[] {
  const breaches: string[] = []
  const turns = new Map<string, TurnProjection>()
  const closed = new Set<string>()
  const settled = new Set<string>()
  let { sequence } = options
  let run: 'none' | 'begun' | 'answered' = 'none'
  let before: BladeOutput | undefined
  const complain = (what: string): void => void breaches.push(what)

  function startTurn(turn: TurnProjection): void {
    turns.set(turn.turn_id, turn)
    if (turn.role === 'assistant') {
      if (run === 'none') complain(`${turn.turn_id} begins outside a run`)
      run = 'answered'
    }
    if (turn.role === 'user' && run === 'answered')
      complain(`${turn.turn_id} is said by the user after the assistant began`)
    const fork = turn.parent_fork_tool_call_id
    if (fork === null) return
    const isDeclared = [...turns.values()].some(({ tool_calls }) => tool_calls.some(({ id }) => id === fork))
    if (!isDeclared) complain(`${turn.turn_id} begins before its call ${fork} was declared`)
    if (settled.has(fork)) complain(`${turn.turn_id} begins after its call ${fork} was settled`)
  }

  function patchTurn(envelope: PatchEnvelope): void {
    const { turn_id, data } = envelope
    const isNext = sequence === undefined || envelope.sequence === sequence + 1
    const isLater = sequence === undefined || envelope.sequence > sequence
    if (!(options.mayLeaveOut === true ? isLater : isNext))
      complain(`patch ${envelope.sequence} follows ${sequence ?? 0}`)
    sequence = envelope.sequence
    const turn = turns.get(turn_id)
    if (turn === undefined || closed.has(turn_id)) return complain(`${turn_id} is patched but not open`)
    if (turn.loop_id !== envelope.loop_id) complain(`${turn_id} is patched in loop ${envelope.loop_id}`)
    const patched = applyPatch(turn, withoutContent(envelope))
    if (patched === undefined) return complain(`${envelope.patch_type} does not fit ${turn_id}`)
    turns.set(turn_id, patched)
    if (envelope.patch_type === 'tool_result') settled.add(envelope.data.tool_call_id)
    if (data.turn !== undefined) compare('the snapshot in patch', data.turn, patched)
    if (envelope.patch_type !== 'add_content' || envelope.data.text_delta === undefined) return
    const { content } = envelope.data
    const isWhole = content === undefined || content === patched.blocks.at(-1)?.content
    if (!isWhole) complain(`the content in patch ${envelope.sequence} is not the block so far`)
  }

  function endTurn(turn: TurnProjection): void {
    const folded = turns.get(turn.turn_id)
    if (folded === undefined || closed.has(turn.turn_id)) return complain(`${turn.turn_id} ends but is not open`)
    compare('the end of', turn, folded)
    turns.set(turn.turn_id, turn)
    if (turn.status !== 'paused') closed.add(turn.turn_id)
    if (turn.status === 'streaming') complain(`${turn.turn_id} ends while it streams`)
  }

  function compare(what: string, told: TurnProjection, folded: TurnProjection): void {
    for (const field of LAW) {
      if (isDeepStrictEqual(told[field], folded[field])) continue
      const [a, b] = [JSON.stringify(told[field]), JSON.stringify(folded[field])]
      complain(`${what} ${told.turn_id} differs in ${field}: ${a} is not ${b}`)
    }
  }

  function endRun(status: string): void {
    if (run === 'none') complain('a run ends that has not begun')
    run = 'none'
    if (status === 'failed' && before?.event !== 'system:error') complain('a run fails without a system:error before')
    for (const turn of turns.values()) {
      if (turn.status === 'streaming' && turn.kind === 'message') complain(`${turn.turn_id} streams on after its run`)
    }
  }

  for (const output of outputs) {
    const { event, payload } = output
    if (event === 'chat:start') {
      if (run !== 'none') complain('a run begins within another')
      run = 'begun'
    } else if (event === 'chat:end') endRun(payload.status)
    else if (event === 'turn:start') startTurn(toTurn(payload))
    else if (event === 'turn:end') endTurn(toTurn(payload))
    else if (event === 'turn:patch') patchTurn(payload)
    before = output
  }
  return breaches
}

/** Deltas alone must do. */
function withoutContent(envelope: PatchEnvelope): PatchEnvelope {
  if (envelope.patch_type !== 'add_content' || envelope.data.text_delta === undefined) return envelope
  const { content: _, ...data } = envelope.data
  return { ...envelope, data }
}

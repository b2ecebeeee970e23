import {
  ROOT_LOOP,
  asEntryId,
  asToolCallId,
  asTurnId,
  type BlockDelta,
  type CallRoute,
  type JsonObject,
  type Recorded,
  type RecordedEvent,
  type StepBlock,
  type ToolCallPart,
  type TurnOutcome,
} from '@polylogue/engine'

const turnId = asTurnId('turn_1')

export const text = (content: string): StepBlock => ({ type: 'text', text: content })
export const thinking = (content: string): StepBlock => ({ type: 'thinking', text: content })
export const toolCall = (id: string, name = 'echo', input: JsonObject = {}): ToolCallPart => ({
  type: 'tool-call',
  toolCallId: asToolCallId(id),
  name,
  input,
})

export const turnStarted: RecordedEvent = { type: 'turn.started', turnId, recovery: 'continue' }
export const turnResumed: RecordedEvent = { type: 'turn.resumed', turnId }
export const turnPaused: RecordedEvent = { type: 'turn.paused', turnId }
export const turnEnded = (outcome: TurnOutcome = 'finished'): RecordedEvent => ({ type: 'turn.ended', turnId, outcome })

export const stepStarted = (step = 1, loopId = ROOT_LOOP): RecordedEvent => ({
  type: 'step.started',
  turnId,
  stepId: asEntryId(`step_${step}`),
  loopId,
  model: 'fake/model',
})

export function stepAnswered(blocks: readonly StepBlock[], step = 1, route: CallRoute = 'server'): RecordedEvent {
  const calls = blocks.flatMap((block) => (block.type === 'tool-call' ? [block.toolCallId] : []))
  const routes = Object.fromEntries(calls.map((id) => [id, route]))
  const usage = { inputTokens: 0, outputTokens: 0 }
  return { type: 'step.answered', turnId, stepId: asEntryId(`step_${step}`), blocks, routes, finish: 'stop', usage }
}

export const stepEnded = (partial?: readonly StepBlock[], step = 1): RecordedEvent => ({
  type: 'step.ended',
  turnId,
  stepId: asEntryId(`step_${step}`),
  outcome: partial === undefined ? 'completed' : 'cancelled',
  ...(partial && { partial }),
})

export const callSettled = (
  id: string,
  more: Partial<Extract<RecordedEvent, { type: 'tool-call.settled' }>> = {},
): RecordedEvent => ({
  type: 'tool-call.settled',
  turnId,
  toolCallId: asToolCallId(id),
  status: 'completed',
  output: `${id} ran`,
  by: 'tool',
  ...more,
})

export const delta = (
  kind: 'text' | 'thinking',
  block: number,
  offset: number,
  content: string,
  stepSeq: number,
  step = 1,
): BlockDelta => ({
  type: `${kind}.delta`,
  turnId,
  loopId: ROOT_LOOP,
  stepId: asEntryId(`step_${step}`),
  stepSeq,
  block,
  offset,
  text: content,
})

export type StoryItem = Recorded | BlockDelta

/** A log from seq 1 on; deltas stand where they left. */
export function story(...items: readonly (RecordedEvent | BlockDelta)[]): StoryItem[] {
  let seq = 0
  return items.map((item) => ('block' in item ? item : { seq: ++seq, at: 0, event: item }))
}

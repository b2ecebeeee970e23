import type { ToolCallId } from '../ids.ts'
import type { ModelOutput } from '../ports/model.ts'
import { toCallInput, type BegunCall, type LiveStep, type SessionFeed } from '../session/session-feed.ts'
import { chooseCallId } from './plan-calls.ts'
import type { RunDeps } from './turn-deps.ts'

/** The model's calls while it writes them. Only live: the log gets them with the answer of the step. */

const isOpen =
  (id: string) =>
  ({ modelId, isComplete }: BegunCall): boolean =>
    modelId === id && !isComplete

export async function takeInput(
  step: LiveStep,
  { id, name, text }: ModelOutput & { type: 'tool-input' },
  deps: RunDeps,
): Promise<void> {
  const known = step.inputs.find(isOpen(id))
  const call = known ?? (await beginCall(step, { id, name }, deps))
  const offset = call.text.length
  call.text += text
  deps.session.feed.publishInput(toCallInput(step, call, offset))
}

/** Readers see the id before the call is recorded, so it must be the one that is recorded. */
async function beginCall(
  step: LiveStep,
  { id, name }: { readonly id: string; readonly name: string },
  { store, session, ids }: RunDeps,
): Promise<BegunCall> {
  const taken = new Set<string>(await store.takenNames(session.id, [id]))
  // Sub-agents write side by side.
  for (const { inputs, blocks } of session.feed.liveSteps.values()) {
    for (const { toolCallId } of inputs) taken.add(toolCallId)
    for (const block of blocks) if (block.type === 'tool-call') taken.add(block.toolCallId)
  }
  const toolCallId = chooseCallId(id, taken, ids)
  const call: BegunCall = { modelId: id, toolCallId, name, text: '', isComplete: false }
  step.inputs.push(call)
  return call
}

/** The id of a complete call that readers already know. */
export function completeInput(step: LiveStep, id: string): ToolCallId | undefined {
  const call = step.inputs.find(isOpen(id))
  if (call !== undefined) call.isComplete = true
  return call?.toolCallId
}

export function dropInputs(
  step: LiveStep,
  { error, delayMs }: ModelOutput & { type: 'retry' },
  feed: SessionFeed,
): void {
  // Their ids stay taken: readers have seen them fail.
  for (const call of step.inputs) call.isComplete = true
  const { turnId, loopId, stepId } = step
  feed.publishInput({ type: 'step.retrying', turnId, loopId, stepId, error, delayMs })
}

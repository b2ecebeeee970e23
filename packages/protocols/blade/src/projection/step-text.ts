/**
 * The text of a step. Live text arrives in numbered batches, one patch each. Adjacent pieces of one kind form one block,
 * whatever is between them in the engine, because clients join them.
 *
 * A long turn and its text are too large for every delta. Text is then sent with every fifth batch, at most 250 ms late,
 * and the whole turn with another batch. The other batches are patches without new content, so that every number has a
 * patch. The answer of a long step sends the rest in one patch, which may be empty. The log thus gives the same number of
 * patches with and without batches.
 */
import type { BlockDelta, LiveBatch, StepBlock } from '@polylogue/engine'
import type { ContentBlock, Patch } from '../wire.ts'
import { LONG_TEXT } from './long-turns.ts'
import type { OpenStep } from './open-loops.ts'
import type { Scene } from './scene.ts'
import { textBlock } from './user-turn.ts'

/** In each cycle of batches, one carries text and one the whole turn. */
const CYCLE = 5

type TextKind = 'text' | 'thinking'

export function addBatch(scene: Scene, batch: LiveBatch): void {
  const { board, loops } = scene
  const { number, stepId, text } = batch
  const step = loops.withStep(stepId)?.step
  if (step === undefined || step.isAnswered) {
    board.skipTo(number)
    return
  }
  const piece = { type: kindOf(batch), text }
  step.textLength += text.length
  if (step.textLength <= LONG_TEXT) {
    board.batch(step.turnId, addText(piece), { number, isBare: false })
    return
  }
  const { held } = step
  const isOneBlock = held === undefined || held.type === piece.type
  const place = number % CYCLE
  step.held = { type: piece.type, text: isOneBlock ? (held?.text ?? '') + text : text }
  if (!isOneBlock) board.batch(step.turnId, addText(held), { number, isBare: true })
  else if (place === 1) {
    board.batch(step.turnId, addText(step.held), { number, isBare: true })
    step.held = undefined
  } else {
    const { status } = board.turn(step.turnId)
    const patch = { patch_type: 'set_status', data: { status } } as const
    board.batch(step.turnId, patch, { number, isBare: place !== 0 })
  }
}

/** Adds the text so far of a step that was running when the reader attached. New subscribers get it with the turn. */
export function addTextSoFar({ board, loops }: Scene, delta: BlockDelta): void {
  const step = loops.withStep(delta.stepId)?.step
  if (step === undefined || step.isAnswered) return
  step.textLength += delta.text.length
  const { blocks } = board.turn(step.turnId)
  board.change(step.turnId, { blocks: mergeText([...blocks, textBlock(delta.text, kindOf(delta))]) })
}

/** Replaces the live text with the recorded text. */
export function settleText({ board }: Scene, step: OpenStep, recorded: readonly StepBlock[]): void {
  const { turnId, held, prefix } = step
  const spoken = recorded.flatMap((block) =>
    block.type === 'tool-call' || block.text === '' ? [] : [textBlock(block.text, block.type)],
  )
  const blocks = [...board.turn(turnId).blocks.slice(0, prefix), ...mergeText(spoken)]
  const length = spoken.reduce((sum, { content }) => sum + (typeof content === 'string' ? content.length : 0), 0)
  step.held = undefined
  if (length > LONG_TEXT && held !== undefined) board.patch(turnId, addText(held))
  board.change(turnId, { blocks })
  const last = blocks.at(-1)
  if (length > LONG_TEXT && held === undefined && last !== undefined) {
    board.patch(turnId, addText({ type: last.type === 'thinking' ? 'thinking' : 'text', text: '' }))
  }
}

const addText = ({ type, text }: { readonly type: TextKind; readonly text: string }): Patch => ({
  patch_type: 'add_content',
  data: { type, text_delta: text },
})

const kindOf = ({ type }: BlockDelta): TextKind => (type === 'text.delta' ? 'text' : 'thinking')

function mergeText(blocks: readonly ContentBlock[]): ContentBlock[] {
  const merged: ContentBlock[] = []
  for (const block of blocks) {
    const last = merged.at(-1)
    const isOneBlock = last?.type === block.type && (block.type === 'text' || block.type === 'thinking')
    if (isOneBlock) merged[merged.length - 1] = { ...last, content: `${textIn(last)}${textIn(block)}` }
    else merged.push(block)
  }
  return merged
}

const textIn = ({ content }: { readonly content: unknown }): string => (typeof content === 'string' ? content : '')

import { isDeepStrictEqual } from 'node:util'
import type { StepBlock } from '@polylogue/engine'
import type { ReaderHistory, SessionHistory, Violation } from './history.ts'

/**
 * I2: no client is ahead of the store, none was shown what is not there, none missed or repeated an event, and text
 * that came in pieces came once, in order, and is the text that was recorded.
 */
export function checkReaders({ readers, stored }: SessionHistory): Violation[] {
  return readers.flatMap((reader, index) => [
    ...checkSeen(reader, index, stored),
    ...checkOrder(reader, index),
    ...checkDeltas(reader, index, stored),
    ...checkWholes(reader, index, stored),
  ])
}

function checkSeen({ seen }: ReaderHistory, reader: number, stored: SessionHistory['stored']): Violation[] {
  return seen.flatMap(({ seq, event, types }): Violation[] => {
    const kept = stored[seq - 1]
    if (kept === undefined)
      return [{ invariant: 'I2', message: `reader ${reader} holds seq ${seq} of ${stored.length}` }]
    if (types !== undefined && !types.includes(kept.event.type)) {
      const shown = types.join(' or ')
      return [
        { invariant: 'I2', message: `reader ${reader} saw ${shown} at ${seq}, where ${kept.event.type} is stored` },
      ]
    }
    if (event === undefined || isDeepStrictEqual(plain(event), plain(kept.event))) return []
    return [
      { invariant: 'I2', message: `reader ${reader} saw ${event.type} at ${seq}, where ${kept.event.type} is stored` },
    ]
  })
}

function checkOrder({ after, seen, isGapless }: ReaderHistory, reader: number): Violation[] {
  let last = after
  return seen.flatMap(({ seq }): Violation[] => {
    const isNext = isGapless ? seq === last + 1 : seq > last
    const before = last
    last = seq
    return isNext ? [] : [{ invariant: 'I2', message: `reader ${reader} saw seq ${seq} after ${before}` }]
  })
}

function checkDeltas({ deltas = [] }: ReaderHistory, reader: number, stored: SessionHistory['stored']): Violation[] {
  const texts = new Map<string, string>()
  const violations: Violation[] = []
  for (const { stepSeq, block, offset, text } of deltas) {
    const before = texts.get(`${stepSeq}.${block}`) ?? ''
    if (offset !== before.length) {
      const message = `reader ${reader} saw text at ${stepSeq}.${block}.${offset} after ${before.length} units`
      violations.push({ invariant: 'I2', message })
    }
    const whole = before.slice(0, offset) + text
    texts.set(`${stepSeq}.${block}`, whole)
    const answer = answerOf(stepSeq, stored)[block]
    if (answer !== undefined && (answer.type === 'tool-call' || !answer.text.startsWith(whole))) {
      violations.push({
        invariant: 'I2',
        message: `reader ${reader} saw ${whole}, which ${stepSeq}.${block} does not say`,
      })
    }
  }
  return violations
}

function checkWholes({ wholes = [] }: ReaderHistory, reader: number, stored: SessionHistory['stored']): Violation[] {
  return wholes.flatMap(({ seq, text }): Violation[] => {
    const event = stored[seq - 1]?.event
    const blocks =
      event?.type === 'step.answered' ? event.blocks : event?.type === 'step.ended' ? (event.partial ?? []) : []
    if (blocks.some((block) => block.type !== 'tool-call' && block.text === text)) return []
    return [{ invariant: 'I2', message: `reader ${reader} saw ${text}, which event ${seq} does not say` }]
  })
}

function answerOf(stepSeq: number, stored: SessionHistory['stored']): readonly StepBlock[] {
  const started = stored[stepSeq - 1]?.event
  if (started?.type !== 'step.started') return []
  for (const { event } of stored.slice(stepSeq)) {
    if (event.type === 'step.answered' && event.stepId === started.stepId) return event.blocks
  }
  return []
}

/** Rows lose fields that are undefined. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

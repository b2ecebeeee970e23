import type { BlockDelta, StepBlock } from '@polylogue/engine'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gist, parseFrames, type Frame } from './test-support/parse-frames.ts'
import {
  delta,
  stepAnswered,
  stepEnded,
  stepStarted,
  story,
  text,
  thinking,
  toolCall,
  turnEnded,
  turnStarted,
  type StoryItem,
} from './test-support/recorded-story.ts'
import { presentStory } from './test-support/present-story.ts'

const STEP_SEQ = 2
const tell = (items: readonly StoryItem[], after?: string) => parseFrames(presentStory(items, 'delta', after).text)

const words = fc.string({
  unit: fc.constantFrom('a', 'b', ' ', '\n', '😀', '"', '\u2028'),
  minLength: 1,
  maxLength: 12,
})
const someBlocks = fc
  .array(fc.oneof(words.map(text), words.map(thinking), fc.constant('call')), { minLength: 1, maxLength: 5 })
  .map((kinds) => kinds.map((kind, index): StepBlock => (typeof kind === 'string' ? toolCall(`call_${index}`) : kind)))

/** The blocks as a model would stream them, cut at arbitrary UTF-16 units. */
function chop(blocks: readonly StepBlock[], sizes: readonly number[]): BlockDelta[] {
  let turn = 0
  return blocks.flatMap((block, index) => {
    const deltas: BlockDelta[] = []
    if (block.type === 'tool-call') return deltas
    for (let offset = 0; offset < block.text.length;) {
      const piece = block.text.slice(offset, offset + (sizes[turn++ % sizes.length] ?? 1))
      deltas.push(delta(block.type, index, offset, piece, STEP_SEQ))
      offset += piece.length
    }
    return deltas
  })
}

function answeredLog(blocks: readonly StepBlock[], deltas: readonly BlockDelta[]): StoryItem[] {
  return story(turnStarted, stepStarted(), ...deltas, stepAnswered(blocks), stepEnded(), turnEnded())
}

const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 })

describe('a step as deltas', () => {
  it('says the same whatever the deltas were cut into', () => {
    fc.assert(
      fc.property(someBlocks, sizes, (blocks, cut) => {
        expect(gist(tell(answeredLog(blocks, chop(blocks, cut))))).toEqual(gist(tell(answeredLog(blocks, []))))
      }),
    )
  })

  it('says all of its text in order, if deltas are lost from some point on or come twice', () => {
    fc.assert(
      fc.property(someBlocks, sizes, fc.nat(20), fc.nat(20), (blocks, cut, lost, twice) => {
        const deltas = chop(blocks, cut)
        const heard = deltas.slice(0, lost).flatMap((item, index) => (index === twice ? [item, item] : [item]))
        expect(gist(tell(answeredLog(blocks, heard)))).toEqual(gist(tell(answeredLog(blocks, deltas))))
      }),
    )
  })

  it('keeps its text whole when one delta in the middle is lost', () => {
    const blocks = [text('one two three')]
    const log = answeredLog(blocks, [delta('text', 0, 0, 'one ', 2), delta('text', 0, 8, 'three', 2)])
    expect(gist(tell(log))[1]).toEqual({ event: 'text_delta', delta: 'one two three' })
  })

  it('does not say again what a feed repeats after the step was recorded', () => {
    const log = answeredLog([text('once')], [delta('text', 0, 0, 'once', 2)])
    const late = [...log.slice(0, 4), delta('text', 0, 0, 'once', 2), ...log.slice(4)]
    expect(gist(tell(late))).toEqual(gist(tell(log)))
  })

  it('continues exactly where any of its events was the last one seen, live or long after', () => {
    fc.assert(
      fc.property(someBlocks, sizes, (blocks, cut) => {
        const deltas = chop(blocks, cut)
        const whole = tell(answeredLog(blocks, deltas))
        for (const [index, { id }] of whole.entries()) {
          const seen = whole.slice(0, index + 1)
          expectRest(seen, tell(answeredLog(blocks, []), id), whole)
          if (id.startsWith('2.')) expectRest(seen, tell(answeredLog(blocks, joined(deltas)), id), whole)
        }
      }),
    )
  })

  it('continues in message mode where any of its events was the last one seen', () => {
    fc.assert(
      fc.property(someBlocks, (blocks) => {
        const log = answeredLog(blocks, [])
        const whole = parseFrames(presentStory(log, 'message').text)
        for (const [index, { id }] of whole.entries()) {
          expectRest(whole.slice(0, index + 1), parseFrames(presentStory(log, 'message', id).text), whole)
        }
      }),
    )
  })

  it('never gives two events the same id', () => {
    fc.assert(
      fc.property(someBlocks, sizes, (blocks, cut) => {
        const ids = tell(answeredLog(blocks, chop(blocks, cut))).map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
      }),
    )
  })
})

describe('a step that was cut short', () => {
  it('is sent completely, also when a call is between its texts', () => {
    const live = [text('one'), toolCall('a'), text('two')]
    const kept = [text('one'), text('two')]
    const log = (...deltas: BlockDelta[]) =>
      story(turnStarted, stepStarted(), ...deltas, stepEnded(kept), turnEnded('cancelled'))
    for (let heard = 0; heard <= 6; heard++) {
      const told = tell(log(...chop(live, [1]).slice(0, heard)))
      expect(gist(told).slice(1, -1)).toEqual([{ event: 'text_delta', delta: 'onetwo' }])
    }
  })

  it.each([[[]], [['one t']]])('is sent again after a resync when it kept less than was shown: %j', (kept) => {
    const shown = chop([text('one two')], [4])
    const log = story(turnStarted, stepStarted(), ...shown, stepEnded(kept.map(text)), turnEnded('interrupted'))
    const told = tell(log)
    expect(gist(told).slice(1, -1)).toEqual([
      { event: 'text_delta', delta: 'one two' },
      { event: 'resync' },
      ...kept.map((said) => ({ event: 'text_delta', delta: said })),
    ])
    // A client that is cut off after it reads the step from its start.
    expect(told.find(({ data }) => data['event'] === 'resync')?.id).toBe(`${STEP_SEQ - 1}`)
  })

  it('continues where the client was', () => {
    const log = story(turnStarted, stepStarted(), stepEnded([text('one two')]), turnEnded('cancelled'))
    expect(gist(tell(log, '2.0.4'))[0]).toEqual({ event: 'text_delta', delta: 'two' })
  })

  it.each(['2.0.8', '2.1.1', '2.3.0'])('has lost something when the client at %s has more than survived', (after) => {
    const log = story(turnStarted, stepStarted(), stepEnded([text('one two')]), turnEnded('cancelled'))
    expect(presentStory(log, 'delta', after)).toEqual({ isLost: true, text: expect.not.stringContaining('text_delta') })
  })
})

describe('a cursor in a recorded step', () => {
  const log = story(turnStarted, stepStarted(), stepAnswered([text('abc'), toolCall('x')]), turnEnded())

  it.each(['2.0.4', '2.1.0', '2.7.0', '3.7.0'])('that points at nothing, as %s does, is lost', (after) => {
    expect(presentStory(log, 'delta', after).isLost).toBe(true)
  })

  it('that points at its very end is not', () => {
    expect(presentStory(log, 'delta', '2.0.3').isLost).toBe(false)
  })
})

function expectRest(seen: readonly Frame[], rest: readonly Frame[], whole: readonly Frame[]): void {
  expect(gist([...seen, ...rest])).toEqual(gist(whole))
}

/** What a feed gives a reader that comes late: the text so far, one delta per block. */
function joined(deltas: readonly BlockDelta[]): BlockDelta[] {
  const blocks = new Map<number, BlockDelta>()
  for (const item of deltas) {
    const earlier = blocks.get(item.block)
    blocks.set(item.block, earlier === undefined ? item : { ...earlier, text: earlier.text + item.text })
  }
  return [...blocks.values()]
}

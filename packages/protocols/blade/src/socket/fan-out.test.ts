import { describe, expect, it } from 'vitest'
import { FanOut } from './fan-out.ts'

const many = (count: number): Set<string> => new Set(Array.from({ length: count }, (_, index) => `s${index}`))

/** Whoever is told writes it down; `goOn` lets the next piece be told. */
function createHall() {
  const steps: (() => void)[] = []
  const fanOut = new FanOut((run) => steps.push(run))
  const heard = new Map<string, string[]>()
  const told: number[] = []
  const hear = (id: string, word: string): void => void heard.set(id, [...(heard.get(id) ?? []), word])
  return {
    fanOut,
    say: (ids: Set<string>, word: string, bytes = 0) => {
      const tell = (piece: Set<string>): void => {
        told.push(piece.size)
        for (const id of piece) {
          // As a connection does that is about to write.
          fanOut.flush(id)
          hear(id, word)
        }
      }
      fanOut.tell(ids, tell, bytes)
    },
    sayDirectly(id: string, word: string) {
      fanOut.flush(id)
      hear(id, word)
    },
    /** How many at a time. */
    told,
    heardBy: (id: string) => heard.get(id) ?? [],
    get count() {
      return [...heard.values()].flat().length
    },
    goOn: () => steps.shift()?.(),
    get waits() {
      return steps.length > 0
    },
  }
}

describe('a fan-out', () => {
  it('tells few at once', () => {
    const hall = createHall()
    hall.say(many(64), 'a')
    expect(hall.count).toBe(64)
    expect(hall.waits).toBe(false)
  })

  it('tells nothing where nobody listens', () => {
    const { fanOut } = createHall()
    fanOut.tell(new Set(), () => expect.unreachable())
  })

  it('tells many in pieces, and lets others come between', () => {
    const hall = createHall()
    hall.say(many(600), 'a')
    expect(hall.count).toBe(0)
    hall.goOn()
    expect(hall.count).toBe(64)
    hall.say(new Set(['other']), 'b')
    expect(hall.heardBy('other')).toEqual(['b'])
    while (hall.waits) hall.goOn()
    expect(hall.count).toBe(601)
  })

  it('tells fewer at a time where each is told much', () => {
    const hall = createHall()
    hall.say(many(100), 'a', 1024 * 1024)
    hall.say(many(3), 'b', 100 * 1024 * 1024)
    while (hall.waits) hall.goOn()
    expect([Math.max(...hall.told.slice(0, 25)), hall.told.slice(-3)]).toEqual([4, [1, 1, 1]])
    expect(hall.heardBy('s2')).toEqual(['a', 'b'])
  })

  it('tells everybody everything once and in order, also who is told by itself meanwhile', () => {
    const hall = createHall()
    const all = many(200)
    hall.say(all, 'a')
    hall.say(many(200), 'b')
    hall.goOn()
    hall.sayDirectly('s0', 'direct')
    hall.sayDirectly('s150', 'direct')
    hall.say(new Set(['s199']), 'few')
    hall.say(many(200), 'c')
    while (hall.waits) hall.goOn()
    expect(hall.heardBy('s0')).toEqual(['a', 'b', 'direct', 'c'])
    expect(hall.heardBy('s150')).toEqual(['a', 'b', 'direct', 'c'])
    expect(hall.heardBy('s199')).toEqual(['a', 'b', 'few', 'c'])
    expect(hall.heardBy('s77')).toEqual(['a', 'b', 'c'])
  })

  it('tells nobody again when all were told by themselves meanwhile', () => {
    const hall = createHall()
    hall.say(many(100), 'a')
    for (const id of many(100)) hall.sayDirectly(id, 'direct')
    hall.say(many(100), 'b')
    while (hall.waits) hall.goOn()
    expect(hall.heardBy('s0')).toEqual(['a', 'direct', 'b'])
    expect(hall.told).not.toContain(0)
  })

  it('tells the rest at once when it has to', () => {
    const hall = createHall()
    hall.say(many(200), 'a')
    hall.say(many(200), 'b')
    hall.fanOut.flushAll()
    expect(hall.count).toBe(400)
    expect(hall.heardBy('s199')).toEqual(['a', 'b'])
  })
})

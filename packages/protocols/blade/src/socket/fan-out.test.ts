import { describe, expect, it } from 'vitest'
import { FanOut } from './fan-out.ts'

const many = (count: number): Set<string> => new Set(Array.from({ length: count }, (_, index) => `s${index}`))

const MEBIBYTE = 1024 * 1024

/** Whoever is told writes it down; `goOn` lets the next piece be told. */
function createHall() {
  const steps: (() => void)[] = []
  const timers: (() => void)[] = []
  const held = new Map<string, number>()
  const fanOut = new FanOut({
    later: (run) => steps.push(run),
    after: (_, run) => timers.push(run),
    holds: (id, bytes) => held.set(id, bytes),
  })
  const heard = new Map<string, string[]>()
  const hear = (id: string, word: string): void => void heard.set(id, [...(heard.get(id) ?? []), word])
  return {
    fanOut,
    held,
    say: (ids: Set<string>, word: string, bytes = 0) => {
      const write = (id: string): void => {
        // As a connection does that is about to write.
        fanOut.flush(id)
        hear(id, word)
      }
      fanOut.tell(ids, write, bytes)
    },
    sayDirectly(id: string, word: string) {
      fanOut.flush(id)
      hear(id, word)
    },
    heardBy: (id: string) => heard.get(id) ?? [],
    get count() {
      return [...heard.values()].flat().length
    },
    goOn: () => steps.shift()?.(),
    finish() {
      while (steps.length > 0) steps.shift()?.()
    },
    /** The time for a turn is over. */
    pass: () => timers.splice(0).forEach((run) => run()),
    get waits() {
      return steps.length > 0
    },
  }
}

describe('a fan-out', () => {
  it('serves few at once', () => {
    const hall = createHall()
    hall.say(many(64), 'a')
    expect(hall.count).toBe(64)
    expect(hall.waits).toBe(false)
  })

  it('sends nothing without a listener', () => {
    const { fanOut } = createHall()
    fanOut.tell(new Set(), () => expect.unreachable())
  })

  it('serves many in pieces, and lets others in between', () => {
    const hall = createHall()
    hall.say(many(600), 'a')
    expect(hall.count).toBe(0)
    hall.goOn()
    expect(hall.count).toBe(64)
    hall.say(new Set(['other']), 'b')
    expect(hall.heardBy('other')).toEqual(['b'])
    hall.finish()
    expect(hall.count).toBe(601)
  })

  it('writes large packets to a few sockets at a time, and continues as they are taken', () => {
    const hall = createHall()
    hall.say(many(100), 'a', MEBIBYTE)
    hall.finish()
    expect(hall.count).toBe(8)
    hall.fanOut.drained('s0')
    hall.fanOut.drained('s1')
    hall.finish()
    expect(hall.count).toBe(10)
    hall.fanOut.gone('s2')
    hall.finish()
    expect(hall.count).toBe(11)
    hall.say(new Set(['other']), 'b')
    expect(hall.heardBy('other')).toEqual(['b'])
  })

  it('does not wait for sockets that take a large packet slowly', () => {
    const hall = createHall()
    hall.say(many(20), 'a', MEBIBYTE)
    hall.finish()
    hall.pass()
    hall.finish()
    expect(hall.count).toBe(16)
    hall.pass()
    hall.finish()
    expect(hall.count).toBe(20)
  })

  it('gives a socket nothing more while a large packet is on its way, and then everything in order', () => {
    const hall = createHall()
    hall.say(many(2), 'a', MEBIBYTE)
    hall.say(many(2), 'b')
    hall.say(many(2), 'c', MEBIBYTE)
    hall.pass()
    hall.finish()
    expect(hall.heardBy('s0')).toEqual(['a'])
    hall.fanOut.drained('s0')
    hall.finish()
    expect([hall.heardBy('s0'), hall.heardBy('s1')]).toEqual([['a', 'b', 'c'], ['a']])
    hall.sayDirectly('s1', 'direct')
    expect(hall.heardBy('s1')).toEqual(['a', 'b', 'c', 'direct'])
  })

  it('says how much waits for a socket', () => {
    const hall = createHall()
    hall.say(many(1), 'a', MEBIBYTE)
    expect(hall.held.get('s0')).toBeUndefined()
    hall.say(many(1), 'b', 10)
    hall.say(many(1), 'c', MEBIBYTE)
    expect([hall.held.get('s0'), hall.fanOut.isWaiting('s0')]).toEqual([MEBIBYTE + 10, true])
    hall.fanOut.drained('s0')
    hall.finish()
    expect([hall.held.get('s0'), hall.fanOut.isWaiting('s0')]).toEqual([0, false])
  })

  it('forgets a socket that has ended', () => {
    const hall = createHall()
    hall.say(many(200), 'a')
    hall.fanOut.gone('s0')
    hall.finish()
    expect([hall.count, hall.heardBy('s0'), hall.fanOut.isWaiting('s0')]).toEqual([199, [], false])
  })

  it('delivers everything once and in order, also to readers that catch up by themselves', () => {
    const hall = createHall()
    const all = many(200)
    hall.say(all, 'a')
    hall.say(many(200), 'b')
    hall.goOn()
    hall.sayDirectly('s0', 'direct')
    hall.sayDirectly('s150', 'direct')
    hall.say(new Set(['s199']), 'few')
    hall.say(many(200), 'c')
    hall.finish()
    expect(hall.heardBy('s0')).toEqual(['a', 'b', 'direct', 'c'])
    expect(hall.heardBy('s150')).toEqual(['a', 'b', 'direct', 'c'])
    expect(hall.heardBy('s199')).toEqual(['a', 'b', 'few', 'c'])
    expect(hall.heardBy('s77')).toEqual(['a', 'b', 'c'])
  })

  it('repeats nothing when all readers have caught up by themselves', () => {
    const hall = createHall()
    hall.say(many(100), 'a')
    for (const id of many(100)) hall.sayDirectly(id, 'direct')
    hall.say(many(100), 'b')
    hall.finish()
    expect(hall.heardBy('s0')).toEqual(['a', 'direct', 'b'])
  })

  it('delivers the rest immediately when required', () => {
    const hall = createHall()
    hall.say(many(200), 'a')
    hall.say(many(200), 'b')
    hall.fanOut.flushAll()
    expect(hall.count).toBe(400)
    expect(hall.heardBy('s199')).toEqual(['a', 'b'])
  })
})

import { expect, it } from 'vitest'
import { Outbox, type Outgoing } from './outbox.ts'
import type { KeptTexts } from './storage.ts'

function memory(): KeptTexts {
  const texts = new Map<string, string>()
  return {
    getItem: (name) => texts.get(name) ?? null,
    setItem: (name, text) => void texts.set(name, text),
    removeItem: (name) => void texts.delete(name),
    names: (prefix) => [...texts.keys()].filter((name) => name.startsWith(prefix)),
  }
}

const message = (id: string): Outgoing => ({ id, sessionId: 's', text: id, state: 'sending', after: 0 })
const ids = ({ all }: Outbox): readonly string[] => all.map(({ id }) => id)

it('keeps what two tabs send at the same time, in the order of their ids', () => {
  const storage = memory()
  const [one, other] = [new Outbox(storage), new Outbox(storage)]
  other.put(message('2'))
  one.put(message('1'))
  expect(ids(new Outbox(storage))).toEqual(['1', '2'])
  one.remove('1')
  expect(ids(new Outbox(storage))).toEqual(['2'])
  expect(ids(other)).toEqual(['2'])
})

it('keeps how a message ended, and not what has too many characters', () => {
  const storage = memory()
  const outbox = new Outbox(storage)
  outbox.put(message('1'))
  outbox.change('1', { state: 'refused', problem: 'too long' })
  outbox.put({ ...message('2'), files: [{ type: 'file', name: 'a', content: 'x'.repeat(1_000_001) }] })
  expect(ids(outbox)).toEqual(['1', '2'])
  expect(new Outbox(storage).all).toEqual([{ ...message('1'), state: 'refused', problem: 'too long' }])
})

it('reads nothing that is not a message', () => {
  const storage = memory()
  storage.setItem('polylogue.outbox.1', '{"id":1}')
  storage.setItem('polylogue.outbox.2', '{')
  expect(new Outbox(storage).all).toEqual([])
})

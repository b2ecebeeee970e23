import { expect, it } from 'vitest'
import { randomBytes } from './random-bytes.ts'
import { createSecretBox } from './secret-box.ts'

const oldKey = randomBytes(32)
const newKey = randomBytes(32)
const box = createSecretBox({ keys: [oldKey], random: randomBytes })

it('opens what it sealed, for the same context', () => {
  expect(box.open(box.seal('sk-geheim ☂', 'session-1/apiKey'), 'session-1/apiKey')).toBe('sk-geheim ☂')
  expect(box.open(box.seal('', 'empty'), 'empty')).toBe('')
})

it('does not show the secret, and seals it differently each time', () => {
  const sealed = box.seal('sk-geheim', 'a')
  expect(Buffer.from(sealed).includes('sk-geheim')).toBe(false)
  expect(sealed).not.toEqual(box.seal('sk-geheim', 'a'))
})

it('opens nothing that was sealed for another context', () => {
  expect(() => box.open(box.seal('x', 'session-1/apiKey'), 'session-2/apiKey')).toThrow(/authenticate/)
})

it('opens nothing that was altered, at any byte', () => {
  const sealed = box.seal('sk-geheim', 'a')
  for (const index of sealed.keys()) {
    const altered = Uint8Array.from(sealed)
    altered[index] = (altered[index] ?? 0) ^ 1
    expect(() => box.open(altered, 'a')).toThrow(/authenticate|sealed/)
  }
  for (const length of [0, 8, 36]) expect(() => box.open(sealed.slice(0, length), 'a')).toThrow(/not a sealed secret/)
})

it('opens what an older key sealed for as long as that key is given', () => {
  const sealed = box.seal('x', 'a')
  expect(createSecretBox({ keys: [newKey, oldKey], random: randomBytes }).open(sealed, 'a')).toBe('x')
  expect(() => createSecretBox({ keys: [newKey], random: randomBytes }).open(sealed, 'a')).toThrow(/secret\.key/)
})

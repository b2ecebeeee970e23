import { describe, expect, it } from 'vitest'
import { plainSecretBox } from './plain-secret-box.ts'

describe('the plain secret box', () => {
  it('opens what it sealed, in the same context', () => {
    expect(plainSecretBox.open(plainSecretBox.seal('pass 🔑', 'session 1'), 'session 1')).toBe('pass 🔑')
  })

  it('refuses another context', () => {
    const sealed = plainSecretBox.seal('pass', 'session 1')
    expect(() => plainSecretBox.open(sealed, 'session 2')).toThrow('another context')
  })

  it('refuses an altered value', () => {
    const sealed = plainSecretBox.seal('pass', 'session 1')
    expect(() => plainSecretBox.open(sealed.with(0, 0), 'session 1')).toThrow('altered')
    expect(() => plainSecretBox.open(new TextEncoder().encode('plain\n"x"'), 'session 1')).toThrow('altered')
  })
})

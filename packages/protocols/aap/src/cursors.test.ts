import { asSessionId } from '@polylogue/engine'
import { describe, expect, it } from 'vitest'
import { encodeListCursor, parseEventCursor, parseListCursor } from './cursors.ts'

describe('an event cursor', () => {
  it('names an event, or a place within one', () => {
    expect(parseEventCursor('12')).toEqual({ seq: 12 })
    expect(parseEventCursor('12.0.345')).toEqual({ seq: 12, block: 0, offset: 345 })
  })

  it.each(['', 'x', '-1', '1.2', '1.2.3.4', '1e3', '9223372036854775808', '1\n', '1'.repeat(1_000_000)])(
    'is never %.20j',
    (text) => {
      expect(() => parseEventCursor(text)).toThrow('after: ')
    },
  )
})

describe('a list cursor', () => {
  const id = asSessionId('0197f000-0000-7000-8000-000000000001')

  it('survives the way to a client and back', () => {
    expect(encodeListCursor(id)).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(parseListCursor(encodeListCursor(id))).toBe(id)
  })

  it.each(['', 'nonsense', id, Buffer.from('hello').toString('base64url'), `${encodeListCursor(id)}=`])(
    'is never %j',
    (text) => {
      expect(() => parseListCursor(text)).toThrow('after: ')
    },
  )
})

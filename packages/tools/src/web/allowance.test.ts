import { describe, expect, it } from 'vitest'
import { createAllowance } from './allowance.ts'

describe('S10: what the operator opens', () => {
  it('is nothing by default', () => {
    expect(createAllowance([]).allows('wiki.corp.example', '10.0.0.1')).toBe(false)
  })

  it.each<[string, string, string, boolean]>([
    ['10.0.0.0/8', 'anything.example', '10.1.2.3', true],
    ['10.0.0.0/8', 'anything.example', '11.1.2.3', false],
    ['169.254.169.254', '169.254.169.254', '169.254.169.254', true],
    ['fd00::/8', 'v6.example', 'fd00::1', true],
    ['fd00::/8', 'v6.example', 'fd00::1%eth0', false],
    ['10.0.0.0/8', 'mapped.example', '::ffff:10.0.0.1', true],
    ['wiki.corp.example', 'wiki.corp.example', '10.0.0.1', true],
    ['wiki.corp.example', 'wiki.corp.example', '127.0.0.1', true],
    ['wiki.corp.example', 'wiki.corp.example', '169.254.169.254', false],
    ['wiki.corp.example', 'wiki.corp.example', '0.0.0.0', false],
    ['wiki.corp.example', 'wiki.corp.example', '8.8.8.8', false],
    ['wiki.corp.example', 'a.wiki.corp.example', '10.0.0.1', false],
    ['WIKI.corp.example.', 'wiki.corp.example', '10.0.0.1', true],
    ['.corp.example', 'corp.example', '10.0.0.1', true],
    ['.corp.example', 'a.b.corp.example', '10.0.0.1', true],
    ['.corp.example', 'evilcorp.example', '10.0.0.1', false],
  ])('by %s: %s at %s is %s', (entry, host, address, isAllowed) => {
    expect(createAllowance([entry]).allows(host, address)).toBe(isAllowed)
  })

  it.each(['http://wiki.example', 'wiki.example:80', 'a b', '', '.', 'user@host', '10.0.0.0/99', '0x7f.1'])(
    'cannot be %j',
    (entry) => expect(() => createAllowance([entry])).toThrow(TypeError),
  )
})

import { StorageFault } from '@polylogue/engine'
import { describe, expect, it } from 'vitest'
import { isLost, toFault } from './postgres-fault.ts'

const errorWith = (fields: object, message = 'no'): Error => Object.assign(new Error(message), fields)

describe('an error of the driver', () => {
  it.each([
    [{ code: 'EMFILE', syscall: 'connect' }],
    [{ code: 'EADDRNOTAVAIL', syscall: 'connect' }],
    [{ code: 'ENETDOWN', syscall: 'connect' }],
    [{ code: 'ECONNABORTED', syscall: 'read' }],
    [{ code: 'EAI_FAIL', syscall: 'getaddrinfo' }],
    [{ code: 'ENOTFOUND', syscall: 'getaddrinfo' }],
    [{ code: 'ERR_STREAM_WRITE_AFTER_END' }],
    [{ code: 'ERR_STREAM_DESTROYED' }],
    [{ code: '25P03' }],
    [{ code: '57P05' }],
    [{ code: '08006' }],
  ])('means that the connection is lost: %j', (fields) => {
    expect(isLost(errorWith(fields))).toBe(true)
    expect(toFault(errorWith(fields))).toMatchObject({ kind: 'busy' })
  })

  it.each([
    [{ code: '53300' }, 'busy'],
    [{ code: '53400' }, 'busy'],
    [{ code: '57014' }, 'busy'],
    [{ code: '55P03' }, 'busy'],
    [{ code: '53100' }, 'full'],
    [{ code: '57P04' }, 'broken'],
    [{ code: '25006' }, 'broken'],
  ] as const)('is a fault: %j is %s', (fields, kind) => {
    expect(isLost(errorWith(fields))).toBe(false)
    expect(toFault(errorWith(fields))).toMatchObject({ kind })
  })

  it('is a bug when a statement is wrong', () => {
    const wrong = errorWith({ code: '42601' })
    expect(toFault(wrong)).toBe(wrong)
    expect(toFault(wrong)).not.toBeInstanceOf(StorageFault)
  })
})

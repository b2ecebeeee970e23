import { EngineError, StorageFault, type EngineErrorCode } from '@polylogue/engine'
import { describe, expect, it } from 'vitest'
import { Refusal, toRefusal } from './refusal.ts'

describe('a refusal', () => {
  it.each<[EngineErrorCode, number]>([
    ['session-not-found', 404],
    ['session-busy', 409],
    ['nothing-to-compact', 409],
    ['unknown-model', 422],
    ['invalid-input', 422],
    ['agent-not-found', 422],
    ['too-many-turns', 429],
    ['storage-full', 507],
    ['storage-busy', 503],
    ['shutting-down', 503],
  ])('of the engine with %s is %i', (code, status) => {
    expect(toRefusal(new EngineError(code, 'no'))).toMatchObject({ status })
  })

  it('names the field as clients know it', () => {
    const fields = ['role', 'changes.title', 'recallsMemories', 'model', 'settings.model']
    const details = fields.map((field) => toRefusal(new EngineError('invalid-input', 'is wrong', field))?.message)
    expect(details).toEqual([
      'biz_role_id: is wrong',
      'intent: is wrong',
      'memory_enabled: is wrong',
      'model: is wrong',
      'model: is wrong',
    ])
  })

  it('of a session that is not there has the same words, whatever the engine says', () => {
    const said = ['no session 7', 'not yours'].map((text) => toRefusal(new EngineError('session-not-found', text)))
    expect(said.map((refusal) => refusal?.message)).toEqual(['There is no such session.', 'There is no such session.'])
  })

  it('says when to come back where that helps', () => {
    expect(toRefusal(new StorageFault('busy', 'locked'))).toMatchObject({ status: 503, retryAfterS: 2 })
    expect(toRefusal(new StorageFault('full', 'no room'))).toMatchObject({ status: 507, retryAfterS: undefined })
  })

  it('is itself, and a bug is not one', () => {
    const refusal = new Refusal(409, 'no')
    expect([toRefusal(refusal), toRefusal(new Error('oops')), toRefusal('oops')]).toEqual([
      refusal,
      undefined,
      undefined,
    ])
  })
})

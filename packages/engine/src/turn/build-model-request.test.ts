import { describe, expect, it } from 'vitest'
import { createFakeTool, plainSecretBox, restart, startSession } from '@polylogue/testkit'
import type { AgentOption } from '../index.ts'
import { secretContext } from './build-model-request.ts'

const options: AgentOption[] = [
  { name: 'apiKey', type: 'secret', default: '' },
  { name: 'language', type: 'text', default: 'English' },
  { name: 'model', type: 'select', choices: ['a', 'b'], default: 'a' },
]

async function askedWith(given: Record<string, string>) {
  const test = await startSession({ options }, { options: given })
  await test.say('go')
  await test.untilRest()
  return test
}

describe('the options that a model gets', () => {
  it('are the defaults, overlaid by what the session set', async () => {
    const test = await askedWith({ language: 'German' })
    expect(test.model.requests[0]?.options).toEqual({ apiKey: '', language: 'German', model: 'a' })
    expect(test.model.requests[0]?.secretOptions).toEqual(['apiKey'])
  })

  it('hold secrets in plain text, while events, views and lists hold ***', async () => {
    const test = await askedWith({ apiKey: 'sk-top-secret' })
    expect(test.model.requests[0]?.options).toMatchObject({ apiKey: 'sk-top-secret' })
    expect((await test.view()).options).toEqual({ apiKey: '***' })
    const stored = JSON.stringify([
      await test.store.readEvents(test.sessionId, 0, 100),
      await test.store.readSnapshot(test.sessionId),
      await test.store.listSessions({ userId: test.user, limit: 10 }),
    ])
    expect(stored).toContain('***')
    expect(stored).not.toContain('sk-top-secret')
  })

  it('keep a secret that a later request sends back as ***', async () => {
    const test = await askedWith({ apiKey: 'sk-1' })
    await test.say('again', { changes: { options: { apiKey: '***', language: 'French' } } })
    await test.untilRest()
    expect(test.model.requests[1]?.options).toMatchObject({ apiKey: 'sk-1', language: 'French' })
  })

  it('take a new secret from the next step on', async () => {
    const test = await askedWith({ apiKey: 'sk-1' })
    await test.say('again', { changes: { options: { apiKey: 'sk-2' } } })
    await test.untilRest()
    expect(test.model.requests[1]?.options).toMatchObject({ apiKey: 'sk-2' })
  })

  it('hold the secret after a restart', async () => {
    const first = await askedWith({ apiKey: 'sk-1' })
    const second = await restart(first, { options })
    await second.say('again')
    await second.untilRest()
    expect(second.model.requests[0]?.options).toMatchObject({ apiKey: 'sk-1' })
  })

  it('never hold the secret of another session: it opens only where it was sealed', async () => {
    const test = await askedWith({ apiKey: 'sk-1' })
    const [secret] = await test.store.readSecrets(test.sessionId)
    if (secret === undefined) throw new Error('a secret is stored')
    expect(plainSecretBox.open(secret.sealed, secretContext(test.sessionId, 'apiKey'))).toBe('sk-1')
    expect(() => plainSecretBox.open(secret.sealed, secretContext('another session', 'apiKey'))).toThrow(
      'another context',
    )
    expect(() => plainSecretBox.open(secret.sealed, secretContext(test.sessionId, 'other'))).toThrow('another context')
  })

  it('fall back to the default when the agent no longer calls an option secret', async () => {
    const first = await askedWith({ apiKey: 'sk-1' })
    const second = await restart(first, { options: [{ name: 'apiKey', type: 'text', default: 'none' }] })
    await second.say('again')
    await second.untilRest()
    expect(second.model.requests[0]?.options['apiKey']).not.toBe('***')
  })
})

describe('the tools that a model is offered', () => {
  it('are those the session may use or ask for, and those of its client', async () => {
    const tools = [
      createFakeTool('trusted'),
      createFakeTool('asked'),
      createFakeTool('unlisted'),
      createFakeTool('inner', { exposed: false }),
      createFakeTool('pay', { effect: 'unsafe', exposed: false }),
    ]
    const test = await startSession(
      { tools },
      {
        access: { type: 'listed', tools: [{ name: 'trusted', trust: true }, { name: 'asked' }] },
        clientTools: [{ name: 'mine', description: 'mine', parameters: { type: 'object' } }],
        preset: 'read-only',
      },
    )
    await test.say('go')
    await test.untilRest()
    expect(test.model.requests[0]?.tools.map(({ name }) => name)).toEqual(['trusted', 'asked', 'inner', 'mine'])
  })
})

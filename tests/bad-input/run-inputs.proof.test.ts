// Whether the suite can fail: a server for every fault that it looks for, and one without any.
import { describe, expect, it } from 'vitest'
import { askWitness } from './ask-witness.ts'
import { FAULTS, type Fault } from './fault.ts'
import { toInput } from './http-text.ts'
import { judgeGrowth } from './judge-growth.ts'
import { createRun } from './run-inputs.ts'
import { startMisbehavingServer } from './start-misbehaving-server.ts'

/** What a run says when it has found the fault. */
const FOUND: Readonly<Record<Exclude<Fault, 'none' | 'cannot now' | 'grows'>, RegExp>> = {
  exits: /the server has ended/,
  throws: /the server has ended.*nobody catches this/s,
  rejects: /the server has ended.*nobody handles this/s,
  'answers 500': /answered 500/,
  'never answers': /neither answered nor closed within/,
  'answers twice': /an answer too many|answered 200, expected 201/,
  'is held up': /the probe's .* was answered after \d{4} ms/,
  pollutes: /there is a Object\.prototype\.polluted now/,
  'forges an event': /an event "forged"/,
  'forges a header': /a header x-forged/,
  'tells its stack': /a refusal that tells too much/,
  'quotes everything': /a refusal of \d{5,} bytes/,
  'keeps what it cannot read': /what was taken in cannot be read/,
  warns: /MaxListenersExceededWarning/,
  grumbles: /the server complains: something is wrong/,
}

async function runAgainst(fault: Fault) {
  const subject = await startMisbehavingServer(fault)
  try {
    const run = await createRun(subject, fault === 'never answers' ? { giveUpMs: 1000 } : {})
    const warm = await askWitness(subject.witness)
    const indexes = Array.from({ length: 40 }, (_, index) => index)
    await run.sendBatch(indexes, {
      workers: 8,
      make: (index, scene) =>
        toInput(scene, {
          kind: 'create',
          method: 'POST',
          path: '/aap/v3/sessions',
          body: JSON.stringify({ agent: { name: index % 10 === 5 ? 'fault' : 'scripted' } }),
          expected: { statuses: [201, 400, 503] },
        }),
    })
    const last = await askWitness(subject.witness).catch(() => warm)
    const told = run.failures.flatMap(({ complaints }) => complaints).join('\n')
    return { told, byContract: run.tally.byContract, growth: judgeGrowth(warm, last) }
  } finally {
    await subject.stop()
  }
}

describe('a run', () => {
  it('has nothing to say about a server without a fault', async () => {
    expect(await runAgainst('none')).toEqual({ told: '', byContract: 0, growth: [] })
  })

  it('knows every fault that its servers can have', () => {
    expect([...Object.keys(FOUND), 'none', 'cannot now', 'grows'].toSorted()).toEqual(FAULTS.toSorted())
  })

  it.each(Object.entries(FOUND))('finds a server that %s', async (fault, sentence) => {
    expect((await runAgainst(fault as Fault)).told).toMatch(sentence)
  })

  it('counts answers that say the server cannot now', async () => {
    expect(await runAgainst('cannot now')).toMatchObject({ byContract: 4, told: '' })
  })

  it('finds a server that grows', async () => {
    expect((await runAgainst('grows')).growth).toContainEqual(expect.stringMatching(/memory has grown/))
  })
})

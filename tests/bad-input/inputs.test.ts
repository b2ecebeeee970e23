import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeFailures } from './describe-failures.ts'
import { planFromEnvironment } from './plan-from-environment.ts'
import { runInputs } from './run-inputs.ts'
import { openSlowClients } from './slow-clients.ts'
import { startSubject, type Subject } from './subject.ts'

/** Twice around the wheel of generators. The proof sends 100,000. */
const PLAN = planFromEnvironment({ seed: 'polylogue', from: 0, count: 2_000 })

/** They stay connected all the time. */
const SLOW_CLIENTS = 300

let subject: Subject

beforeAll(async () => {
  subject = await startSubject()
})
afterAll(() => subject.stop())

it(
  `answers ${PLAN.count} malformed inputs (seed ${PLAN.seed}) beside ${SLOW_CLIENTS} slow clients, and a valid client within a second throughout`,
  { timeout: 300_000 },
  async () => {
    const slow = await openSlowClients(subject, SLOW_CLIENTS)
    const report = await runInputs(subject, PLAN)
    const slowComplaints = slow.leave()
    expect(describeFailures(report)).toBe('')
    expect(slowComplaints).toEqual([])
    expect(report.count).toBeGreaterThanOrEqual(PLAN.count)
    expect(report.byContract).toBe(0)
  },
)

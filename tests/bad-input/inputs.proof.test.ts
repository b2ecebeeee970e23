import { appendFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeFailures } from './describe-failures.ts'
import { planFromEnvironment } from './plan-from-environment.ts'
import { runInputs } from './run-inputs.ts'
import { openSlowClients } from './slow-clients.ts'
import { startSubject, type Subject } from './subject.ts'

const PLAN = planFromEnvironment({ seed: 'polylogue', from: 0, count: 100_000 })
const MEBIBYTE = 1024 * 1024
const LONGEST_COMPLAINT = 20_000

/** They are there all the time, and cost the others nothing. */
const SLOW_CLIENTS = 2_000

let subject: Subject

beforeAll(async () => {
  subject = await startSubject()
})
afterAll(() => subject.stop())

it(
  `answers ${PLAN.count} malformed inputs (seed ${PLAN.seed}) beside ${SLOW_CLIENTS} slow clients, and a valid client within a second throughout`,
  { timeout: 45 * 60_000 },
  async () => {
    const slow = await openSlowClients(subject, SLOW_CLIENTS)
    const report = await runInputs(subject, PLAN)
    const slowComplaints = slow.leave()
    const { count, failures, statuses, byContract, slowestProbeMs, warm, last, seconds } = report
    const results = process.env['POLYLOGUE_PROOF_RESULTS']
    if (results !== undefined) {
      const line = {
        id: 'B',
        what: 'malformed inputs to the real server: no exit, no unhandled rejection, no 5xx, a valid client answered within 1 s',
        count,
        failures: failures.length,
        seed: PLAN.seed,
        seconds: Math.round(seconds),
        slowClients: SLOW_CLIENTS,
        byContract,
        statuses,
        slowestProbeMs: Math.round(slowestProbeMs),
        loopDelayP99Ms: Math.round(last.delayP99Ms),
        rssMiB: [warm.rss, last.rss].map((bytes) => Math.round(bytes / MEBIBYTE)),
        ...(failures.length > 0 && { complaints: [describeFailures(report).slice(0, LONGEST_COMPLAINT)] }),
      }
      await appendFile(results, `${JSON.stringify(line)}\n`)
    }
    expect(describeFailures(report)).toBe('')
    expect(slowComplaints).toEqual([])
    expect(count).toBeGreaterThanOrEqual(PLAN.count)
    expect(byContract).toBe(0)
  },
)

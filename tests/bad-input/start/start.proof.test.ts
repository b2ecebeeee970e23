import { appendFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { VALID_CONFIG, listConfigCases } from './config-cases.ts'
import { OTHER_CASES } from './other-cases.ts'
import { runStarts } from './run-starts.ts'

it(
  'starts with what is in order and with nothing else: every key, every flag, every file',
  { timeout: 20 * 60_000 },
  async () => {
    const startedAt = performance.now()
    const cases = [VALID_CONFIG, ...listConfigCases(), ...OTHER_CASES]
    const complaints = await runStarts(cases)
    const results = process.env['POLYLOGUE_PROOF_RESULTS']
    if (results !== undefined) {
      const line = {
        id: 'B11',
        what: 'invalid configurations, flags, variables and files: one line names the place, and the server never starts unprotected',
        count: cases.length,
        failures: complaints.length,
        seed: 'none: all of them',
        seconds: Math.round((performance.now() - startedAt) / 1000),
      }
      await appendFile(results, `${JSON.stringify(line)}\n`)
    }
    expect(complaints).toEqual([])
  },
)

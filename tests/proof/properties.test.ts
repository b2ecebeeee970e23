import { expect, it } from 'vitest'
import { findPropertyFiles } from './property-files.ts'
import { complaintsIn, runProperties } from './run-properties.ts'

it('finds the files with properties, including contracts, without proofs', () => {
  const files = findPropertyFiles()
  expect(files).toContain('packages/protocols/aap/src/delta-steps.test.ts')
  expect(files).toContain('packages/stores/sqlite/src/sqlite-stores.test.ts')
  expect(files.filter((path) => path.includes('.proof.'))).toEqual([])
})

it('runs them with the given seed', async () => {
  expect(await runProperties(['tests/house/fix-seed.test.ts'], 'willow 3')).toEqual({ tests: 2, complaints: [] })
})

it('complains when no test ran', async () => {
  const { tests, complaints } = await runProperties(['tests/there-is-none.test.ts'], 'willow')
  expect(tests).toBe(0)
  expect(complaints).toHaveLength(1)
})

it('reports failures with their seed, and files that failed before their first test', () => {
  const held = { fullName: 'numbers are numbers', status: 'passed', failureMessages: [] }
  const failed = { fullName: 'numbers are small', status: 'failed', failureMessages: ['Property failed: [1000]'] }
  const testResults = [
    { name: '/x/a.test.ts', status: 'failed', message: '', assertionResults: [held, failed] },
    { name: '/x/b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
    { name: '/x/c.test.ts', status: 'passed', message: '', assertionResults: [held] },
  ]
  expect(complaintsIn({ testResults }, 'willow 3')).toEqual([
    'seed willow 3: numbers are small: Property failed: [1000]',
    'seed willow 3: /x/b.test.ts: no such module',
  ])
})

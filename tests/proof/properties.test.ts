import { expect, it } from 'vitest'
import { findPropertyFiles } from './property-files.ts'
import { complaintsIn, runProperties } from './run-properties.ts'

it('the files with properties are found, those of contracts too, and no proofs', () => {
  const files = findPropertyFiles()
  expect(files).toContain('packages/protocols/aap/src/delta-steps.test.ts')
  expect(files).toContain('packages/stores/sqlite/src/sqlite-stores.test.ts')
  expect(files.filter((path) => path.includes('.proof.'))).toEqual([])
})

it('they run with the seed that they are given', async () => {
  expect(await runProperties(['tests/house/fix-seed.test.ts'], 'willow 3')).toEqual({ tests: 2, complaints: [] })
})

it('a run in which nothing ran is a complaint', async () => {
  const { tests, complaints } = await runProperties(['tests/there-is-none.test.ts'], 'willow')
  expect(tests).toBe(0)
  expect(complaints).toHaveLength(1)
})

it('what failed is told with the seed that shows it again, and a file that did not get as far as a test too', () => {
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

import { expect, it } from 'vitest'
import { learnPassword } from './known-secrets.ts'
import { createRedactor } from './redactor.ts'

it.each([
  ['redis://:correct-horse@host', 'correct-horse'],
  ['postgres://me:correct%2Dhorse@host/x', 'correct-horse'],
  ['postgres:///x?host=/tmp&password=correct-horse', 'correct-horse'],
  ['https://me:100%correct-horse@host', '100%correct-horse'],
])('learns the password of %s', (address, password) => {
  const redactor = createRedactor()
  learnPassword(redactor, address)
  expect(redactor.redact(`it is ${password}.`)).toBe('it is ***.')
})

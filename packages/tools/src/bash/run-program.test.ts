import { expect, it } from 'vitest'
import { probeProgram } from './run-program.ts'

it('a program that does not exist keeps no timer, which would keep the process alive', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  expect(await probeProgram('/nowhere/none', [])).toBe(false)
  expect(timers()).toBe(before)
})

it('says whether a program ends well', async () => {
  expect(await probeProgram('/bin/true', [])).toBe(true)
  expect(await probeProgram('/bin/false', [])).toBe(false)
})

import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

const MODULE = new URL('./run-program.ts', import.meta.url).href

/** What a process says that tries a program and then has nothing to do. */
const tryIn = (file: string): string => {
  const code = `
    const { probeProgram } = await import(${JSON.stringify(MODULE)})
    const isThere = await probeProgram(${JSON.stringify(file)}, [])
    console.log(isThere, process.getActiveResourcesInfo().includes('Timeout'))`
  return execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' }).trim()
}

it('a program that was tried keeps nothing waiting, whether or not it is there', () => {
  expect(tryIn(process.execPath)).toBe('true false')
  expect(tryIn('/nowhere/at-all')).toBe('false false')
})

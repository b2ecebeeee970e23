// `npm test` as a pipeline starts it: without a terminal and without input.
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CheckoutCopy, copyCheckout } from '../mutants/checkout-copy.ts'

const FOLDER = 'tests/made'

let copy: CheckoutCopy
beforeAll(async () => {
  copy = await copyCheckout()
})
afterAll(() => copy[Symbol.asyncDispose]())
beforeEach(() => {
  rmSync(join(copy.path, FOLDER), { recursive: true, force: true })
  mkdirSync(join(copy.path, FOLDER))
})

describe('npm test', () => {
  it('ends with the counts, and leaves out what needs a process when it is to be quick', async () => {
    write('pure.test.ts', "it('a', () => {})\nit('b', () => {})")
    write('process.test.ts', "import 'node:child_process'\nit('c', () => {})")
    expect(await runTests()).toEqual({ code: 0, lastLine: '3 passed, 0 failed' })
    expect(await runTests('--quick')).toEqual({ code: 0, lastLine: '2 passed, 0 failed' })
  })

  it('ends with 1 when a test fails, a file is broken, or nothing runs', async () => {
    expect(await runTests()).toEqual({ code: 1, lastLine: '0 passed, 0 failed' })
    write('fails.test.ts', "it('a', () => {})\nit('b', () => { throw new Error('no') })")
    write('is-broken.test.ts', "throw new Error('broken')")
    expect(await runTests()).toEqual({ code: 1, lastLine: '1 passed, 2 failed' })
  })
})

function write(name: string, body: string): void {
  writeFileSync(join(copy.path, FOLDER, name), `import { it } from 'vitest'\n${body}\n`)
}

function runTests(...flags: readonly string[]): Promise<{ readonly code: number; readonly lastLine: string }> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST') && name !== 'TEST')
  const env = { ...Object.fromEntries(inherited), CI: 'true' }
  const args = ['scripts/test.mjs', ...flags, FOLDER]
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd: copy.path, env }, (error, stdout) => {
      resolve({ code: error ? Number(error.code) : 0, lastLine: stdout.trimEnd().split('\n').at(-1) ?? '' })
    })
    child.stdin?.destroy()
  })
}

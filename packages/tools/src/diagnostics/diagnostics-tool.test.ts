import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '@polylogue/engine'
import { createInvocation } from '@polylogue/testkit'
import { afterAll, expect, it } from 'vitest'
import { createDiagnosticsTool } from './diagnostics-tool.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'polylogue-diagnostics-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const cwd = join(folder, 'app')
const bin = join(folder, 'bin')
mkdirSync(cwd)
mkdirSync(bin)

/** A program that stands for the real one. */
function put(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(bin, name), 0o755)
}

const tool = createDiagnosticsTool({
  stateDir: join(folder, 'state'),
  outputDir: join(folder, 'outputs'),
  sandbox: 'none',
  environment: { PATH: `${bin}:/usr/bin:/bin` },
})
const workspace = { cwd, roots: [cwd] }
const run = (input: JsonObject) => tool.run(createInvocation(tool, input, { workspace }))

it('says which checkers the project uses', async () => {
  expect((await run({})).content).toContain('no configuration')
  writeFileSync(join(cwd, 'ruff.toml'), '')
  expect((await run({})).content).toBe('ruff: ruff check --output-format concise .')
  expect((await tool.inspect?.({}, workspace))?.facts).toEqual({ type: 'read-files' })
})

it('returns the problems, each with its place', async () => {
  put('ruff', `echo "a.py:1:8: F401 unused ($*)"; exit 1`)
  expect(await run({ checker: 'ruff' })).toMatchObject({
    content: '1 problem:\na.py:1:8: F401 unused (check --output-format concise .)',
    meta: { exitCode: 1 },
  })
  put('ruff', 'echo All checks passed')
  expect((await run({ checker: 'ruff' })).content).toBe('ruff check --output-format concise . found no problems.')
})

it('returns unreadable input unchanged', async () => {
  put('ruff', 'echo broken configuration; exit 2')
  expect((await run({ checker: 'ruff' })).content).toBe(
    'ruff check --output-format concise .:\nbroken configuration\nExit code 2.',
  )
})

it('is judged as the command that it runs', async () => {
  const inspected = await tool.inspect?.({ checker: 'cargo' }, workspace)
  expect(inspected).toMatchObject({
    facts: { type: 'shell', risk: 'other', isUnderstood: true },
    preview: { title: 'cargo check --quiet --message-format short' },
  })
  expect(tool.sameAs?.({ checker: 'go' })).toEqual({ tool: 'Bash', input: { command: 'go vet ./...' } })
  expect(tool.check({ checker: 'rm' })).toMatchObject({ ok: false })
})

import { once } from 'node:events'
import { mkdir, readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { runPolylogue, startPolylogue } from '../cli/run-polylogue.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let dir: TempDir
beforeAll(async () => {
  dir = await createTempDir()
  await mkdir(join(dir.path, 'tmp'))
})
afterAll(() => dir.remove())

const ask = (...only: string[]) => [
  'eval',
  '--model',
  'openai/tiny',
  '--allow-unconfined',
  '--jobs',
  '1',
  '--only',
  only.join(','),
]
const environment = (baseUrl: string) => ({
  OPENAI_API_KEY: 'sk',
  OPENAI_BASE_URL: baseUrl,
  TMPDIR: join(dir.path, 'tmp'),
})

it('an evaluation whose model cannot be asked stops after the first task and says how to go on', async () => {
  const { code, stderr, stdout } = await runPolylogue(ask('tabs', 'two-files', 'off-by-one'), {
    cwd: dir.path,
    environment: environment('http://127.0.0.1:1/v1'),
  })
  expect(code).toBe(1)
  // In the order of the tasks.
  expect(stdout).toMatch(/^off-by-one +FAIL[^]*^total +0\/1 [^]*^off-by-one: OpenAI cannot be reached\.$/m)
  expect(stderr).toContain(
    '3 of 3 tasks were not run, because the model could not be asked. Go on with:\n' +
      '  polylogue eval --model openai/tiny --only off-by-one,two-files,tabs\n',
  )
})

it('Ctrl-C ends an evaluation with what was done, and leaves no files behind', async () => {
  const asked = Promise.withResolvers<void>()
  const server = createServer((request) => {
    if (request.method === 'POST') asked.resolve()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  const run = startPolylogue(ask('tabs', 'two-files'), {
    cwd: dir.path,
    environment: environment(`http://127.0.0.1:${address.port}/v1`),
  })
  await asked.promise
  run.process.kill('SIGINT')
  const { code, stdout, stderr } = await run.finished
  expect(code).toBe(130)
  expect(stdout).toMatch(/^total +0\/0 /m)
  expect(stderr).toContain(
    '2 of 2 tasks were not run. Go on with:\n  polylogue eval --model openai/tiny --only two-files,tabs\n',
  )
  expect(await readdir(join(dir.path, 'tmp'))).toEqual([])
})

it('a model that is no name is refused by its flag', async () => {
  const { code, stderr } = await runPolylogue(['eval', '--model', 'tiny'], { cwd: dir.path })
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'polylogue: --model tiny: must be provider/model, demo or scripted\n',
  })
})

// The job that docs/check.md shows, followed step by step with our own server as the one to be checked.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { createTempDir } from '../support/temp-dir.ts'

const PAGE = new URL('../../docs/check.md', import.meta.url)
const POLYLOGUE = fileURLToPath(new URL('../../polylogue', import.meta.url))

interface Job {
  readonly steps: readonly { readonly run?: string; readonly uses?: string }[]
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

it('the job for the CI of others passes on a server that keeps the rules', { timeout: 120_000 }, async () => {
  const dir = await createTempDir()
  onTestFinished(() => dir.remove())
  const agents = [{ name: 'my-agent', instructions: 'Answer.', model: 'openai/script' }]
  await writeFile(join(dir.path, 'polylogue.config.json'), JSON.stringify({ agents }))
  const [, yaml = ''] = /```yaml\n([^]*?)```/.exec(await readFile(PAGE, 'utf8')) ?? []
  const { jobs } = parse(yaml) as { readonly jobs: Readonly<Record<string, Job>> }
  const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))
  const [install, ...steps] = runs
  expect(install).toContain('npm install --no-save polylogue')
  const [model, own] = [await freePort(), await freePort()]
  const script = steps
    .join('\n')
    .replaceAll('npx polylogue', POLYLOGUE)
    .replaceAll(
      'npm run my-server',
      `${POLYLOGUE} serve --port ${own} --data ${dir.path} --config polylogue.config.json --key "$KEY"`,
    )
    .replaceAll('127.0.0.1:4000', `127.0.0.1:${model}`)
    .replaceAll('--script-model 4000', `--script-model ${model}`)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${own}/aap/v3`)
  const ending = "trap 'kill $(jobs -p)' EXIT\n"
  const env = { ...process.env, KEY: 'a-key-for-the-tests-of-the-job' }
  const { stdout } = await promisify(execFile)('bash', ['-ec', ending + script], { cwd: dir.path, env })
  expect(stdout).toMatch(/^AAP 3 at .*, agent my-agent\n/)
  expect(stdout).toMatch(/\d{2} passed, 0 failed, \d+ not applicable\n$/)
})

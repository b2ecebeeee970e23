import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { runPolylogue } from './run-polylogue.ts'

let dir: TempDir
beforeEach(async () => {
  dir = await createTempDir()
})
afterEach(() => dir.remove())

const NO_KEYS = { POLYLOGUE_MODEL: '', ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '', GEMINI_API_KEY: '', AWS_REGION: '' }

it('lists what can be used, what it costs, the default and why, and what other providers need', async () => {
  const environment = { ...NO_KEYS, POLYLOGUE_DATA: dir.path, XAI_API_KEY: 'k' }
  const { code, stdout, stderr } = await runPolylogue(['models'], { cwd: dir.path, environment })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^MODEL +INPUT LIMIT +INPUT +CACHED +OUTPUT +ABILITIES\nxai\/\S+ \(default\) /)
  expect(stdout).toMatch(/^xai\/grok-4\.5 +500k +\$2 +\$0\.3 +\$6 +images, thinking$/m)
  expect(stderr).toContain('Default: xai/grok-4.7, with the key from XAI_API_KEY.\n')
  expect(stderr).toContain('  groq: Set GROQ_API_KEY.\n')
  expect(stderr).toContain('  bedrock: Amazon Bedrock needs a region: set AWS_REGION.\n')
})

it('asks servers of your own which models they have, and takes the prices of the configuration', async () => {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(request.url === '/v1/models' ? { data: [{ id: 'qwen3' }] } : {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`
  const config = join(dir.path, 'lab.config.json')
  await writeFile(
    config,
    JSON.stringify({ providers: { lab: { baseUrl } }, prices: { 'lab/*': { input: 0.1, output: 0.2 } } }),
  )
  const environment = { ...NO_KEYS, POLYLOGUE_DATA: dir.path, POLYLOGUE_MODEL: 'lab/qwen3' }
  const args = ['models', 'qwen', '--config', config, '--json']
  const { stdout } = await runPolylogue(args, { cwd: dir.path, environment })
  server.close()
  expect(JSON.parse(stdout)).toMatchObject({
    default: { name: 'lab/qwen3', reason: 'lab/qwen3, as POLYLOGUE_MODEL says.' },
    models: [{ name: 'lab/qwen3', isDefault: true, price: { input: 0.1, output: 0.2, currency: 'USD' } }],
  })
})

import { execFileSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { runPolylogue } from './run-polylogue.ts'

const NEWER = '2099-01-02'
const PROVIDER_FILES =
  'anthropic openai google mistral xai deepseek groq together fireworks openrouter azure amazon-bedrock google-vertex'.split(
    ' ',
  )

let dir: TempDir
beforeEach(async () => {
  dir = await createTempDir()
})
afterEach(() => dir.remove())

/** An npm that serves one package from a folder: `view` prints its version, `pack` copies it. */
async function makeNpm(list: { readonly date: string; readonly models: object }): Promise<Record<string, string>> {
  const data = join(dir.path, 'source', 'package', 'dist', 'providers', 'data')
  await mkdir(data, { recursive: true })
  await writeFile(join(data, '.manifest.json'), JSON.stringify({ generatedAt: `${list.date} 00:00` }))
  for (const file of PROVIDER_FILES) {
    await writeFile(join(data, `${file}.json`), JSON.stringify(file === 'xai' ? { chat: list.models } : {}))
  }
  const tarball = join(dir.path, 'list.tgz')
  execFileSync('tar', ['czf', tarball, '-C', join(dir.path, 'source'), 'package'])
  const bin = join(dir.path, 'bin')
  await mkdir(bin, { recursive: true })
  const script = `#!/bin/sh\ncase $1 in view) echo 9.9.9 ;; pack) cp '${tarball}' list.tgz && echo list.tgz ;; esac\n`
  await writeFile(join(bin, 'npm'), script, { mode: 0o755 })
  return {
    POLYLOGUE_DATA: join(dir.path, 'data'),
    POLYLOGUE_MODEL: '',
    XAI_API_KEY: 'k',
    PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
  }
}

const GROK = {
  type: 'chat',
  id: 'grok-99',
  name: 'Grok 99',
  input: ['text', 'image'],
  contextWindow: 900_000,
  maxTokens: 1000,
  cost: { input: 7, output: 70, cacheRead: 0.7 },
}

it('fetches a newer list, says what changed, and the next start uses it beside the built-in one', async () => {
  const environment = await makeNpm({ date: NEWER, models: { 'grok-99': GROK } })
  const refreshed = await runPolylogue(['models', 'refresh'], { cwd: dir.path, environment })
  expect(refreshed).toMatchObject({ code: 0, stdout: 'xai:\n  + grok-99\n' })
  expect(refreshed.stderr).toContain(
    `the list of ${NEWER} from @earendil-works/pi-ai 9.9.9. It is used from the next start on.`,
  )
  const { stdout, stderr } = await runPolylogue(['models', 'grok'], { cwd: dir.path, environment })
  expect(stdout).toMatch(/^xai\/grok-99 +900k +\$7 +\$0\.7 +\$70 +images$/m)
  expect(stdout).toMatch(/^xai\/grok-4\.5 /m)
  expect(stderr).toContain(`from the list of ${NEWER}`)
  const again = await runPolylogue(['models', 'refresh'], { cwd: dir.path, environment })
  expect(again.stdout).toBe('Nothing changed.\n')
})

it('keeps what it has when the newest list is older, has another format or cannot be fetched', async () => {
  const refuse = async (list: { readonly date: string; readonly models: object }) => {
    const environment = await makeNpm(list)
    return runPolylogue(['models', 'refresh'], { cwd: dir.path, environment })
  }
  expect(await refuse({ date: '2020-01-01', models: {} })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The newest list is of 2020-01-01, older than the one in use.'),
  })
  expect(await refuse({ date: NEWER, models: { x: { ...GROK, contextWindow: 'much' } } })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has a format that this version does not know'),
  })
  const environment = { ...(await makeNpm({ date: NEWER, models: {} })), PATH: join(dir.path, 'nothing') }
  expect(await runPolylogue(['models', 'refresh'], { cwd: dir.path, environment })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('npm was not found on PATH'),
  })
  await expect(readFile(join(dir.path, 'data', 'models.json'))).rejects.toMatchObject({ code: 'ENOENT' })
})

it('starts with the built-in list, and a warning, where the kept one is damaged', async () => {
  const environment = await makeNpm({ date: NEWER, models: {} })
  await mkdir(join(dir.path, 'data'), { mode: 0o700 })
  await writeFile(join(dir.path, 'data', 'models.json'), '{"date"', { mode: 0o600 })
  const { code, stdout, stderr } = await runPolylogue(['models', 'grok'], { cwd: dir.path, environment })
  expect([code, /^xai\/grok-4\.5 /m.test(stdout)]).toEqual([0, true])
  expect(stderr).not.toContain(NEWER)
})

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'

const PROGRAM = `
  import { createLog } from '${new URL('./log.ts', import.meta.url).href}'
  import { createRedactor } from '${new URL('./redactor.ts', import.meta.url).href}'
  const redactor = createRedactor()
  redactor.learn('correct-horse-battery')
  const log = createLog(process.env.ASKED ?? 'info', redactor)
  log.debug({}, 'quiet')
  log.info({ text: 'one\\n{"level":60,"msg":"forged"}', secret: 'correct-horse-battery' }, 'first')
  log.error({ err: new Error('no correct-horse-battery') }, 'second')
  await log.close()
  log.error({}, 'too late')
`

function linesWith(environment: Record<string, string>): readonly Record<string, unknown>[] {
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    encoding: 'utf8',
    env: { ...process.env, POLYLOGUE_LOG: '', ...environment },
  })
  expect(status).toBe(0)
  return stderr
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

it('is one JSON object per line, without secrets, and lines cannot be forged', () => {
  const lines = linesWith({})
  expect(lines).toMatchObject([
    { level: 30, msg: 'first', secret: '***', time: expect.stringMatching(/^\d{4}-.*Z$/) },
    { level: 50, msg: 'second', err: { type: 'Error', message: 'no ***' } },
  ])
  expect(lines).toHaveLength(2)
})

it('logs at the level of POLYLOGUE_LOG', () => {
  expect(linesWith({ POLYLOGUE_LOG: 'debug' }).map(({ msg }) => msg)).toEqual(['quiet', 'first', 'second'])
  expect(linesWith({ POLYLOGUE_LOG: 'error' }).map(({ msg }) => msg)).toEqual(['second'])
  expect(linesWith({ POLYLOGUE_LOG: 'silent' })).toEqual([])
  expect(linesWith({ POLYLOGUE_LOG: 'nonsense' })).toHaveLength(2)
  expect(linesWith({ ASKED: 'warn' }).map(({ msg }) => msg)).toEqual(['second'])
  expect(linesWith({ ASKED: 'warn', POLYLOGUE_LOG: 'info' })).toHaveLength(2)
})

it('writes everything when the process exits without closing it', () => {
  const program = `
    import { createLog } from '${new URL('./log.ts', import.meta.url).href}'
    import { createRedactor } from '${new URL('./redactor.ts', import.meta.url).href}'
    const log = createLog('info', createRedactor())
    for (let line = 0; line < 100; line += 1) log.info({ line }, 'line')
    process.exit(3)
  `
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    env: { ...process.env, POLYLOGUE_LOG: '' },
  })
  expect(status).toBe(3)
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly line: number }).line)
  expect(lines.sort((one, other) => one - other)).toEqual(Array.from({ length: 100 }, (_, line) => line))
})

it('closes when its reader is gone', () => {
  const writer = `
    import { createLog } from '${new URL('./log.ts', import.meta.url).href}'
    import { createRedactor } from '${new URL('./redactor.ts', import.meta.url).href}'
    const log = createLog('info', createRedactor())
    setInterval(() => log.info({ text: 'x'.repeat(4_000) }, 'line'), 1)
    setTimeout(() => log.close().then(() => process.exit(7)), 200)
  `
  const parent = `
    import { spawn } from 'node:child_process'
    const args = ['--input-type=module', '-e', ${JSON.stringify(writer)}]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr.destroy()
    child.on('exit', (code) => process.exit(code ?? 1))
  `
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', parent], {
    timeout: 30_000,
    env: { ...process.env, POLYLOGUE_LOG: '' },
  })
  expect(status).toBe(7)
})

it('a full pipe without a reader does not keep the process from ending', async () => {
  const program = `
    import { createLog } from '${new URL('./log.ts', import.meta.url).href}'
    import { createRedactor } from '${new URL('./redactor.ts', import.meta.url).href}'
    const log = createLog('info', createRedactor())
    for (let line = 0; line < 5000; line += 1) log.info({ text: 'x'.repeat(200) }, 'line')
    await log.close()
  `
  const env = { ...process.env, POLYLOGUE_LOG: 'info' }
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  child.stderr.destroy()
  expect(code).toBe(0)
}, 30_000)

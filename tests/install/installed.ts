import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const runFile = promisify(execFile)

/** A folder of somebody who has no checkout: only the tarballs, installed as a user would. */
export interface InstalledFolder {
  readonly path: string
  write(name: string, text: string): Promise<void>
  /** Runs a program to its end, with the folder as working directory. */
  run(command: string, ...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }>
  /** Such as `polylogue`, as npm linked it. */
  bin(name: string): string
  remove(): Promise<void>
}

/** Packs the checkout and installs the tarballs into an empty folder, whose package.json npm has written. */
export async function installPackages(names: readonly string[]): Promise<InstalledFolder> {
  const path = await mkdtemp(join(tmpdir(), 'polylogue-install-'))
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
    HOME: join(path, 'home'),
    // The folder of the tests, or npm would leave out what the production install needs.
    npm_config_cache: process.env['npm_config_cache'] ?? join(process.env['HOME'] ?? tmpdir(), '.npm'),
    NODE_ENV: 'production',
  }
  const run = (command: string, ...args: readonly string[]) =>
    runFile(command, args, { cwd: path, env, maxBuffer: 16 * 1024 * 1024 })
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  await runFile(process.execPath, ['scripts/pack.mjs'], { cwd: ROOT })
  await run('npm', 'init', '-y')
  const tarballs = names.map((name) => join(ROOT, 'dist', `${name}-${version}.tgz`))
  await run('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', ...tarballs)
  return {
    path,
    write: (name, text) => writeFile(join(path, name), text),
    run,
    bin: (name) => join(path, 'node_modules', '.bin', name),
    remove: () => rm(path, { recursive: true, force: true }),
  }
}

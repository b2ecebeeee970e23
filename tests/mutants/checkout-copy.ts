import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, mkdir, readFile, readdir, readlink, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTempDir } from '../support/temp-dir.ts'
import { type Edit, type Suite, applyEdit } from './mutant.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SOURCES = [
  ...['apps', 'packages', 'tests', 'scripts'],
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'vitest.config.ts', 'polylogue'],
]
/** Files of the bootstrap: which Node to use, and whether dependencies are installed. */
const BOOTSTRAPPED = ['.cache/node', 'node_modules/.package-lock.json', 'node_modules/.polylogue-lock']
const OWN_SCOPE = '@polylogue'

export interface SuiteRun {
  readonly passed: readonly string[]
  readonly failed: readonly string[]
  /** The output of the run, for finding the cause of an unexpected result. */
  readonly output: string
}

/** A copy of the sources in a separate folder, where mutants are planted and tested. */
export interface CheckoutCopy extends AsyncDisposable {
  readonly path: string
  edit(edits: readonly Edit[]): Promise<void>
  run(suite: Suite): Promise<SuiteRun>
}

export async function copyCheckout(): Promise<CheckoutCopy> {
  const dir = await createTempDir()
  const copy = dir.path
  const isSource = (path: string): boolean => !/(^|\/)node_modules$/.test(path)
  for (const entry of SOURCES) await cp(join(ROOT, entry), join(copy, entry), { recursive: true, filter: isSource })
  await linkModules(copy)
  for (const entry of BOOTSTRAPPED) await cp(join(ROOT, entry), join(copy, entry))

  return {
    path: copy,
    async edit(edits) {
      for (const edit of edits) {
        const file = join(copy, edit.file)
        await writeFile(file, applyEdit(await readFile(file, 'utf8'), edit))
      }
    },
    run: (suite) => runSuite(copy, suite),
    [Symbol.asyncDispose]: () => dir.remove(),
  }
}

/** Third-party packages come from the checkout, and workspaces from the copy. */
async function linkModules(copy: string): Promise<void> {
  // npm installs a second version of a package inside the workspace that needs it.
  const nested = globSync('{apps,packages}/{*,*/*}/node_modules', { cwd: ROOT })
  for (const path of nested) await symlink(join(ROOT, path), join(copy, path))
  const [from, to] = [join(ROOT, 'node_modules'), join(copy, 'node_modules')]
  await mkdir(join(to, OWN_SCOPE), { recursive: true })
  for (const name of await readdir(from)) {
    if (name !== OWN_SCOPE && !name.startsWith('.')) await symlink(join(from, name), join(to, name))
  }
  for (const name of await readdir(join(from, OWN_SCOPE))) {
    await symlink(await readlink(join(from, OWN_SCOPE, name)), join(to, OWN_SCOPE, name))
  }
}

const MOST_OUTPUT = 64 * 1024 * 1024

async function runSuite(copy: string, { file, test }: Suite): Promise<SuiteRun> {
  const report = join(copy, '.cache', 'report.json')
  const name = test.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const args = ['node_modules/vitest/vitest.mjs', 'run', file, '-t', name, ...reporters]
  const output = await new Promise<string>((resolve) => {
    const env = { ...process.env, VITEST: undefined, VITEST_WORKER_ID: undefined, VITEST_POOL_ID: undefined }
    execFile(process.execPath, args, { cwd: copy, env, maxBuffer: MOST_OUTPUT }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    )
  })
  const tests = parseReport(await readFile(report, 'utf8').catch(() => '{"testResults":[]}'))
  const named = (status: string): string[] => tests.filter((one) => one.status === status).map((one) => one.fullName)
  return { passed: named('passed'), failed: named('failed'), output }
}

interface TestReport {
  readonly fullName: string
  readonly status: string
}

function parseReport(text: string): readonly TestReport[] {
  const report = JSON.parse(text) as { readonly testResults: readonly { assertionResults: readonly TestReport[] }[] }
  return report.testResults.flatMap(({ assertionResults }) => assertionResults)
}

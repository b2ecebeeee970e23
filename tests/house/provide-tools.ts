// Before the first test: installs the programs that the chosen test files need and the machine lacks. By name,
// `x.browser.test.ts` needs a browser, `x.sandbox.test.ts` bubblewrap, `x.redis.test.ts` Redis,
// `x.tmux.test.ts` tmux; such a test then asks requireTool for its path.
// For `x.postgres.test.ts` one PostgreSQL server runs until the last test; such a test injects `postgresUrl` and makes a
// database of its own.
import { type TestProject, parseCLI } from 'vitest/node'
import { requireTool } from './require-tool.ts'
import { startPostgres } from './start-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of a superuser. */
    postgresUrl: string
  }
}

const TOOLS = [
  { suffix: '.browser.test.ts', tool: 'chromium', debianPackage: 'chromium' },
  { suffix: '.sandbox.test.ts', tool: 'bwrap', debianPackage: 'bubblewrap' },
  { suffix: '.redis.test.ts', tool: 'redis-server', debianPackage: 'redis-server' },
  { suffix: '.tmux.test.ts', tool: 'tmux', debianPackage: 'tmux' },
  { suffix: '.sandbox.proof.test.ts', tool: 'bwrap', debianPackage: 'bubblewrap' },
]

export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { filter } = parseCLI(['vitest', ...process.argv.slice(2)], { allowUnknownOptions: true })
  const { testFiles } = await project.globTestFiles(filter)
  for (const { suffix, tool, debianPackage } of TOOLS) {
    if (testFiles.some((path) => path.endsWith(suffix))) requireTool(tool, debianPackage)
  }
  if (!testFiles.some((path) => /\.postgres(?:\.proof)?\.test\.ts$/.test(path))) return undefined
  const { url, stop } = await startPostgres()
  project.provide('postgresUrl', url)
  return stop
}

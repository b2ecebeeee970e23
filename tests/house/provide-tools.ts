// Before the first test: installs the programs that the chosen test files need and the machine lacks. By name,
// `x.browser.test.ts` needs a browser, `x.sandbox.test.ts` bubblewrap; such a test then asks requireTool for its path.
import { type TestProject, parseCLI } from 'vitest/node'
import { requireTool } from './require-tool.ts'

const TOOLS = [
  { suffix: '.browser.test.ts', tool: 'chromium', debianPackage: 'chromium' },
  { suffix: '.sandbox.test.ts', tool: 'bwrap', debianPackage: 'bubblewrap' },
  { suffix: '.sandbox.proof.test.ts', tool: 'bwrap', debianPackage: 'bubblewrap' },
]

export async function setup(project: TestProject): Promise<void> {
  const { filter } = parseCLI(['vitest', ...process.argv.slice(2)], { allowUnknownOptions: true })
  const { testFiles } = await project.globTestFiles(filter)
  for (const { suffix, tool, debianPackage } of TOOLS) {
    if (testFiles.some((path) => path.endsWith(suffix))) requireTool(tool, debianPackage)
  }
}

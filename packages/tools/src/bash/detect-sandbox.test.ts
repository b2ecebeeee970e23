import { createInvocation } from '@polylogue/testkit'
import { afterAll, expect, it } from 'vitest'
import { createBashTool } from './bash-tool.ts'
import { detectSandbox } from './detect-sandbox.ts'

const path = process.env['PATH']
process.env['PATH'] = '/nowhere'
afterAll(() => {
  process.env['PATH'] = path
})

it('S9: where there is no sandbox and one is required, nothing runs', async () => {
  expect(await detectSandbox()).toBe('none')
  const tool = createBashTool({ stateDir: '/nowhere', outputDir: '/nowhere', sandbox: 'required' })
  const call = createInvocation(tool, { command: 'ls' }, { workspace: { cwd: '/', roots: [] } })
  await expect(tool.run(call)).rejects.toThrow('commands must run in a sandbox here, but bubblewrap is missing')
})

import { afterAll, beforeAll, expect, it, vi } from 'vitest'

const path = process.env['PATH']

// The result is cached for the life of the process, which other test files share.
beforeAll(() => {
  vi.resetModules()
  process.env['PATH'] = '/nowhere'
})
afterAll(() => {
  process.env['PATH'] = path
  vi.resetModules()
})

it('S9: where there is no sandbox and one is required, nothing runs', async () => {
  const { createInvocation } = await import('@polylogue/testkit')
  const { createBashTool } = await import('../bash/bash-tool.ts')
  const { detectSandbox } = await import('./detect-sandbox.ts')
  expect(await detectSandbox()).toBe('none')
  const tool = createBashTool({ stateDir: '/nowhere', outputDir: '/nowhere', sandbox: 'required' })
  const call = createInvocation(tool, { command: 'ls' }, { workspace: { cwd: '/', roots: [] } })
  await expect(tool.run(call)).rejects.toThrow('commands must run in a sandbox here, but bubblewrap is missing')
})

import { expect, it } from 'vitest'
import { describeConfinement } from './confinement.ts'

const unconfined = { sandbox: 'none', files: 'best-effort', programs: 'local' } as const

it('says on macOS that commands have all rights', () => {
  expect(describeConfinement(unconfined, 'darwin')).toBe(
    'none: shell commands run with all rights of the user who runs the server (see docs/security.md). ' +
      'Only the user local has Bash and MCP servers that are programs. File tools are confined as well as this system allows.',
  )
})

it('says on Windows which tools do not work, and what to do', () => {
  expect(describeConfinement(unconfined, 'win32')).toBe(
    'none: Bash, Diagnostics and Background need a Unix shell; run Polylogue in WSL to use them. ' +
      'Only the user local has Bash and MCP servers that are programs. File tools are confined as well as this system allows.',
  )
})

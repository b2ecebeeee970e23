import { describe, expect, it } from 'vitest'
import { type ToolEnvironment, requireTool } from './require-tool.ts'

describe('a program that tests need', () => {
  it('is taken from PATH without installing anything', () => {
    const machine = createMachine({ found: ['/usr/bin/chromium'], isDebianRoot: true })
    expect(requireTool('chromium', 'chromium', machine)).toBe('/usr/bin/chromium')
    expect(machine.installed).toEqual([])
  })

  it('is installed where we are root on Debian', () => {
    const machine = createMachine({ found: [undefined, '/usr/sbin/nginx'], isDebianRoot: true })
    expect(requireTool('nginx', 'nginx-light', machine)).toBe('/usr/sbin/nginx')
    expect(machine.installed).toEqual(['nginx-light'])
  })

  it('fails elsewhere with one sentence that names the package', () => {
    const machine = createMachine({ found: [], isDebianRoot: false })
    expect(() => requireTool('initdb', 'postgresql', machine)).toThrow(
      'The tests need initdb: install the package postgresql (or put initdb on PATH) and run again.',
    )
    expect(machine.installed).toEqual([])
  })
})

function createMachine({ found, isDebianRoot }: { found: (string | undefined)[]; isDebianRoot: boolean }) {
  const answers = [...found]
  const installed: string[] = []
  const environment: ToolEnvironment = {
    find: () => answers.shift(),
    isDebianRoot,
    install: (debianPackage) => installed.push(debianPackage),
  }
  return { ...environment, installed }
}

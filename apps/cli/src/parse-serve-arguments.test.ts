import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { defineServe } from './define-verbs.ts'
import { parseServeArguments } from './parse-serve-arguments.ts'

/** What commander makes of it: flags, or `undefined` for a mistake or a call for help. */
function parseWithLibrary(args: readonly string[]): object | undefined {
  const program = new Command('polylogue').exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} })
  defineServe(program, () => undefined)
  let flags: object | undefined
  const [verb] = program.commands
  verb?.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} })
  verb?.action((given: object) => void (flags = given))
  try {
    program.parse(args, { from: 'user' })
  } catch {
    return undefined
  }
  return flags
}

describe('the command line of a server', () => {
  it.each([
    [[]],
    [['serve']],
    [['serve', '-p', '0']],
    [['serve', '--port', '0', '--json']],
    [['serve', '--port=8021', '--scripted', '--host', '0.0.0.0']],
    [['serve', '--port', '65535', '--port', '1']],
    [['serve', '--key', 'one', '--key=two']],
    [['serve', '--data', '/d e', '--database', 'postgres://x', '--database-direct', 'postgres://y']],
    [['serve', '--role', 'worker', '--redis', 'redis://r', '--node-url', 'http://n']],
    [['serve', '--workspaces', 'w', '--config=c.ts', '--public-url', 'https://p']],
    [['serve', '--data=', '--host', '']],
    [['serve', '--data', '--json']],
    [['serve', '--port', '65536']],
    [['serve', '--port', 'x']],
    [['serve', '--port', '-1']],
    [['serve', '--port']],
    [['serve', '--role', 'none']],
    [['serve', '--json=yes']],
    [['serve', '--data']],
    [['serve', '--toString', 'x']],
    [['serve', '--help']],
    [['serve', '-h']],
    [['serve', 'now']],
    [['serve', '--prot', '1']],
  ])('means the same with and without commander: %j', (args: string[]) => {
    expect(parseServeArguments(args)).toEqual(parseWithLibrary(args))
  })

  it.each([
    [['run']],
    [['--port', '0']],
    [['--help']],
    [['help', 'serve']],
    [['serve', '-p0']],
    [['serve', '--allow-origin', 'https://a', 'https://b']],
    [['serve', '--']],
  ])('is left to commander: %j', (args: string[]) => {
    expect(parseServeArguments(args)).toBeUndefined()
  })
})

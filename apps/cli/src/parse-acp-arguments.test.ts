import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { defineAcp, withAcpVerb } from './define-acp.ts'
import { parseAcpArguments } from './parse-acp-arguments.ts'

/** What the library of the command line makes of it: flags, or `undefined` for a mistake or a cry for help. */
function parseWithLibrary(args: readonly string[]): object | undefined {
  const program = new Command('polylogue').exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} })
  defineAcp(program, () => undefined)
  let flags: object | undefined
  const [verb] = program.commands
  verb?.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} })
  verb?.action((given: object) => void (flags = given))
  try {
    program.parse(withAcpVerb(args), { from: 'user' })
  } catch {
    return undefined
  }
  const { stdio: _stdio, ...rest } = (flags ?? {}) as { readonly stdio?: boolean }
  return rest
}

describe('the command line of an editor', () => {
  it.each([
    [['acp']],
    [['--acp']],
    [['--acp', '--stdio']],
    [['acp', '--stdio', '--acp']],
    [['acp', '--resume']],
    [['acp', '--resume', '0198']],
    [['acp', '--resume=0198', '--scripted']],
    [['--resume', '--acp', '--profile', 'seed']],
    [['--acp', '--resume', '--resume-replay', 'after']],
    [['acp', '--agent', 'coder', '--data', '/d', '--database', 'sqlite:x', '--config', 'c.json']],
    [['acp', '--agent=coder', '--data=/d e', '--profile=standard']],
    [['acp', '--profile', 'other']],
    [['acp', '--profile']],
    [['acp', '--agent']],
    [['acp', '--help']],
    [['acp', '-h']],
    [['acp', '--port', '1']],
    [['acp', 'now']],
    [['acp', '--resume-replay', 'never']],
  ])('means the same with and without the library: %j', (args: string[]) => {
    expect(parseAcpArguments(args)).toEqual(parseWithLibrary(args))
  })

  it.each([[[]], [['serve']], [['run', 'acp']], [['--stdio']], [['--help']]])(
    'is another one: %j',
    (args: string[]) => {
      expect(parseAcpArguments(args)).toBeUndefined()
    },
  )
})

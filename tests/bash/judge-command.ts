import { hashCall, issueGrant } from '@polylogue/engine'
import { testDigest } from '@polylogue/testkit'
import { buildCommandArgv, createBashTool, inspectCommand } from '@polylogue/tools'
import type { MadeCommand } from './arbitrary-command.ts'

const tool = createBashTool({ stateDir: '/nowhere', outputDir: '/nowhere' })
const SPECIAL = /[;&|`$<>\n]/

/** What is wrong with what we say of a command, or with the bytes that would run; empty when all is well. */
export async function judgeCommand({ command, made }: MadeCommand): Promise<readonly string[]> {
  const check = tool.check({ command })
  // Only what no program can be given as an argument is refused before anybody is asked.
  if (!check.ok)
    return /\0/.test(command) || command === '' || !command.isWellFormed() ? [] : [`refused: ${check.problem}`]
  const { facts } = await inspectCommand(command, { cwd: '/work/space', home: '/home/u' })
  const { risk, isUnderstood, hasWrapper, exceeds, hardline } = facts
  return [
    ...bytesProblems(command),
    made === 'wrapped' && !hasWrapper && 'a wrapper that could be covered',
    made === 'broken' && isUnderstood && 'broken, but understood',
    made === 'dynamic' && isUnderstood && 'dynamic, but understood',
    made === 'too-large' && exceeds === undefined && 'too large, but not denied',
    risk === 'safe' && made !== 'freely' && 'safe',
    risk === 'safe' && (!isUnderstood || hasWrapper || hardline !== undefined) && 'safe in spite of the rest',
    risk === 'safe' && SPECIAL.test(command) && 'safe with a special character',
    hardline !== undefined && risk !== 'dangerous' && 'on the floor, but not dangerous',
    exceeds !== undefined && isUnderstood && 'over a limit, but understood',
  ].filter((problem) => problem !== false)
}

/** Shown, hashed and executed must be the same bytes. */
function bytesProblems(command: string): readonly string[] {
  const input = { command }
  const call = { tool: 'Bash', input, cwd: '/work/space', policy: 'test' }
  const grant = issueGrant(call, testDigest)
  const shown: unknown = JSON.parse(JSON.stringify(input)).command
  const executed = buildCommandArgv(command, '/bin/bash').args.at(-1) ?? ''
  const sandboxed = buildCommandArgv(command, '/bin/bash', { sandbox: { file: 'bwrap', args: [] } }).args.at(-1)
  const hash = hashCall({ ...call, input: { command: Buffer.from(executed).toString() } }, testDigest)
  return [
    shown !== command && 'shown differs',
    grant.call.input['command'] !== command && 'granted differs',
    hash !== grant.callHash && 'executed differs from hashed',
    sandboxed !== command && 'executed in the sandbox differs',
  ].filter((problem) => problem !== false)
}

import { leaveWhenClosed } from './closed-output.ts'
import { parseAcpArguments } from './parse-acp-arguments.ts'

/** Whatever is still open after this is left behind. */
const END_MS = 3_000

const args = process.argv.slice(2)
const editor = parseAcpArguments(args)

if (editor === undefined) {
  leaveWhenClosed(process.stdout, process.stderr)
  const { runProgram } = await import('./program.ts')
  process.exitCode = await runProgram(args)
} else {
  const [{ acp }, { explain }] = await Promise.all([import('./commands/acp.ts'), import('./explain.ts')])
  process.exitCode = await acp(editor).catch(explain)
  // What ended us need not have been the editor; and the commands that we have just told to end may need a second.
  process.stdin.destroy()
  setTimeout(() => process.exit(), END_MS).unref()
}

import { leaveWhenClosed } from './closed-output.ts'
import { parseAcpArguments } from './parse-acp-arguments.ts'
import { parseServeArguments } from './parse-serve-arguments.ts'
import { resolveOwnFiles } from './resolve-own-files.ts'

/** The process exits after this time, even if something is open. */
const END_MS = 3_000

resolveOwnFiles()
const args = process.argv.slice(2)
const editor = parseAcpArguments(args)
const server = editor === undefined ? parseServeArguments(args) : undefined

if (editor !== undefined) {
  const [{ acp }, { explain }] = await Promise.all([import('./commands/acp.ts'), import('./explain.ts')])
  process.exitCode = await acp(editor).catch(explain)
  // Stdin may still be open. Commands that were just told to end may need a second.
  process.stdin.destroy()
  setTimeout(() => process.exit(), END_MS).unref()
} else if (server !== undefined) {
  leaveWhenClosed(process.stdout, process.stderr)
  const [{ serve }, { explain }] = await Promise.all([import('./commands/serve.ts'), import('./explain.ts')])
  process.exitCode = await serve(server).catch(explain)
  setTimeout(() => process.exit(), END_MS).unref()
} else {
  leaveWhenClosed(process.stdout, process.stderr)
  const { runProgram } = await import('./program.ts')
  process.exitCode = await runProgram(args)
}

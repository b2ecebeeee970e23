import { parseAcpArguments } from './parse-acp-arguments.ts'

const args = process.argv.slice(2)
const editor = parseAcpArguments(args)

if (editor === undefined) {
  // A reader that has seen enough, such as `head`, closes the pipe; there is nobody left to tell.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(1)
    throw error
  })
  const { runProgram } = await import('./program.ts')
  process.exitCode = await runProgram(args)
} else {
  const [{ acp }, { explain }] = await Promise.all([import('./commands/acp.ts'), import('./explain.ts')])
  process.exitCode = await acp(editor).catch(explain)
}

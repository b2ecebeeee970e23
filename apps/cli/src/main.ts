import { runProgram } from './program.ts'

// A reader that has seen enough, such as `head`, closes the pipe; there is nobody left to tell.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(1)
  throw error
})

process.exitCode = await runProgram(process.argv.slice(2))

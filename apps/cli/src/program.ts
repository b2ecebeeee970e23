import { Command, CommanderError } from 'commander'
import { readFileSync } from 'node:fs'
import { toTerminalLine } from './terminal-text.ts'
import { defineAcp, withAcpVerb } from './define-acp.ts'
import { defineBackup } from './define-backup.ts'
import { defineChat } from './define-chat.ts'
import { defineImport } from './define-import.ts'
import { defineInit } from './define-init.ts'
import { defineLink } from './define-link.ts'
import { defineMcp } from './define-mcp.ts'
import { defineMemory } from './define-memory.ts'
import { defineModels } from './define-models.ts'
import { definePermissions } from './define-permissions.ts'
import {
  defineBench,
  defineDoctor,
  defineKeys,
  defineRun,
  defineServe,
  defineSessions,
  defineTrust,
  formatExamples,
} from './define-verbs.ts'
import { defineEval } from './define-eval.ts'
import { defineCheck } from './define-check.ts'
import { defineReplay } from './define-replay.ts'
import { defineUsage } from './define-usage.ts'
import { defineUsers } from './define-users.ts'
import { ExitCode } from './exit-code.ts'
import { explain } from './explain.ts'

/** Runs one command line; the process should end with the exit code that comes back. */
export async function runProgram(given: readonly string[]): Promise<number> {
  const args = withAcpVerb(given)
  let exitCode: number = ExitCode.done
  const program = createProgram((code) => {
    exitCode = code
  })
  const [verb = ''] = args
  if (verb !== '' && !verb.startsWith('-') && !hasVerb(program, verb)) {
    const verbs = program.commands.map((command) => command.name()).join(', ')
    process.stderr.write(
      `polylogue: there is no verb "${toTerminalLine(verb)}". There is: ${verbs}. See polylogue --help.\n`,
    )
    return ExitCode.usage
  }
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    // It has said what is wrong itself.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage
    return explain(error)
  }
}

/** One line: what is wrong, and what to do next. */
function toUsageError(text: string): string {
  const sentence = text
    .trim()
    .replace(/^error: /, 'polylogue: ')
    .replaceAll('\n', ' ')
  return `${sentence}${/[.?!)]$/.test(sentence) ? '' : '.'} Add --help to see the arguments and flags.\n`
}

function createProgram(finish: (exitCode: number) => void): Command {
  const program = new Command('polylogue')
    .description('One agent, every protocol: a self-hosted agent server.')
    .version(readVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [verb]', 'show the help of a verb')
    .configureOutput({ outputError: (text, write) => write(toUsageError(text)) })
    .exitOverride()
    .addHelpText('after', formatExamples(['', 'serve --port 0', 'run "What can you do?"', 'run --help']))
  defineServe(program, finish)
  defineAcp(program, finish)
  defineRun(program, finish)
  defineChat(program, finish)
  defineInit(program, finish)
  defineLink(program, finish)
  defineKeys(program, finish)
  defineUsers(program, finish)
  defineSessions(program, finish)
  defineImport(program, finish)
  definePermissions(program, finish)
  defineMemory(program, finish)
  defineMcp(program, finish)
  defineModels(program, finish)
  defineUsage(program, finish)
  defineReplay(program, finish)
  defineCheck(program, finish)
  defineEval(program, finish)
  defineTrust(program, finish)
  defineDoctor(program, finish)
  defineBackup(program, finish)
  defineBench(program, finish)
  return program
}

function hasVerb(program: Command, verb: string): boolean {
  return verb === 'help' || program.commands.some((command) => command.name() === verb)
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version)
  throw new Error('The package names no version.')
}

import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseClaudeFile } from '../claude-file.ts'
import { CommandFailure } from '../command-failure.ts'
import { ExitCode } from '../exit-code.ts'
import { createTerminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'
import { withOwner } from '../with-owner.ts'
import type { SessionsImportFlags } from './exchange-sessions.ts'

/** One session for each file of Claude Code. Nothing is imported unless all files can be read. */
export async function importClaude(files: readonly string[], flags: SessionsImportFlags): Promise<number> {
  const conversations = await Promise.all(files.map((file) => readConversation(file, flags)))
  return withOwner(flags, async ({ console }) => {
    const { stdout, stderr } = createTerminal(process)
    for (const { file, left, directory, messages, title } of conversations) {
      const { sessionId } = await console.importSession({
        body: {
          messages,
          directory,
          ...(title !== undefined && { title }),
          ...(flags.agent !== undefined && { agent: flags.agent }),
        },
      })
      stdout.write(`${sessionId}\n`)
      stderr.write(`${toTerminalLine(file)}: ${messages.length} messages. ${formatLeft(left)}\n`)
    }
    return ExitCode.done
  })
}

async function readConversation(file: string, { cwd }: SessionsImportFlags) {
  const text = await readFile(resolve(file), 'utf8').catch((cause: unknown) => {
    throw new CommandFailure(`${file}: cannot be read.`, ExitCode.usage, { cause })
  })
  const conversation = parseClaudeFile(text)
  if (conversation === undefined) throw new CommandFailure(`${file}: not a session of Claude Code.`, ExitCode.usage)
  const said = conversation.directory
  const isThere = said !== undefined && statSync(said, { throwIfNoEntry: false })?.isDirectory() === true
  return { ...conversation, file, directory: cwd === undefined ? (isThere ? said : process.cwd()) : resolve(cwd) }
}

function formatLeft(left: ReadonlyMap<string, number>): string {
  if (left.size === 0) return 'Everything has a counterpart.'
  const kinds = [...left].map(([kind, count]) => `${count} ${toTerminalLine(kind)}`)
  return `No counterpart here: ${kinds.join(', ')}.`
}

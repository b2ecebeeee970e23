import { existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { parseClaudeFile } from '../claude-file.ts'
import { CommandFailure } from '../command-failure.ts'
import { ExitCode } from '../exit-code.ts'
import { readTextFile } from '../read-text-file.ts'
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
  const path = resolve(file)
  const text = await readTextFile(file, path)
  const conversation = parseClaudeFile(text)
  if (conversation === undefined) throw new CommandFailure(`${file}: not a session of Claude Code.`, ExitCode.usage)
  const kept = directoryKeptFor(path, conversation.directory)
  return { ...conversation, file, directory: cwd === undefined ? (kept ?? process.cwd()) : resolve(cwd) }
}

/**
 * The directory that a file names, if Claude Code keeps the file for that directory. A file from elsewhere must not choose
 * where an agent works.
 */
function directoryKeptFor(file: string, directory: string | undefined): string | undefined {
  if (directory === undefined || !isAbsolute(directory)) return undefined
  const home = process.env['CLAUDE_CONFIG_DIR'] ?? join(homedir(), '.claude')
  const folder = join(home, 'projects', directory.replaceAll(/[^A-Za-z0-9]/g, '-'))
  const isThere = statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true
  return isThere && realPath(dirname(file)) === realPath(folder) ? directory : undefined
}

const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : path)

function formatLeft(left: ReadonlyMap<string, number>): string {
  if (left.size === 0) return 'Everything has a counterpart.'
  const kinds = [...left].map(([kind, count]) => `${count} ${toTerminalLine(kind)}`)
  return `No counterpart here: ${kinds.join(', ')}.`
}

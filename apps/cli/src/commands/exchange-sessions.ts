import { ConsoleRefusal, type OwnerClient, type SessionRecord } from '@polylogue/console/client'
import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { directoryOfAgentaoFile, parseAgentaoFile, toAgentaoFile } from '../agentao-file.ts'
import { CommandFailure } from '../command-failure.ts'
import { ExitCode } from '../exit-code.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { toHtml, toMarkdown } from '../readable-session.ts'
import { readTextFile } from '../read-text-file.ts'
import { createTerminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'
import { withOwner } from '../with-owner.ts'
import { writePieces } from '../write-pieces.ts'

export interface SessionsImportFlags extends OwnerFlags {
  readonly agent?: string
  readonly cwd?: string
}

export interface SessionsExportFlags extends OwnerFlags {
  readonly output?: string
  readonly format: ExportFormat
}

export type ExportFormat = 'agentao' | 'jsonl' | 'markdown' | 'html'

/** One session for each file. Nothing is imported unless all files can be read. */
export async function importSessions(files: readonly string[], flags: SessionsImportFlags): Promise<number> {
  const conversations = await Promise.all(files.map((file) => readConversation(file, flags)))
  return withOwner(flags, async ({ console }) => {
    const { stdout, stderr } = createTerminal(process)
    for (const { file, skipped, ...body } of conversations) {
      const { sessionId } = await console.importSession({
        body: { ...body, ...(flags.agent !== undefined && { agent: flags.agent }) },
      })
      stdout.write(`${sessionId}\n`)
      if (skipped > 0)
        stderr.write(`${toTerminalLine(file)}: skipped ${skipped} messages or calls that could not be read\n`)
    }
    return ExitCode.done
  })
}

async function readConversation(file: string, { cwd }: SessionsImportFlags) {
  const path = resolve(file)
  const text = await readTextFile(file, path)
  const conversation = parseAgentaoFile(parseJson(text))
  if (conversation === undefined) throw new CommandFailure(`${file}: not an Agentao session.`, ExitCode.usage)
  const directory = cwd === undefined ? (directoryOfAgentaoFile(path) ?? process.cwd()) : resolve(cwd)
  return { file, directory, ...conversation }
}

export function exportSession(id: string, { output, format, ...flags }: SessionsExportFlags): Promise<number> {
  return withOwner(flags, async ({ console }) => {
    const pieces = format === 'jsonl' ? readLog(id, console) : formatRecord(await console.readSession({ id }), format)
    if (output === undefined) await writePieces(process.stdout, pieces)
    else await pipeline(pieces, createWriteStream(output, { flags: 'wx', mode: 0o600 })).catch(explainFailure(output))
    return ExitCode.done
  })
}

function formatRecord(record: SessionRecord, format: Exclude<ExportFormat, 'jsonl'>): Iterable<string> {
  switch (format) {
    case 'agentao':
      return toAgentaoFile(record)
    case 'markdown':
      return toMarkdown(record)
    case 'html':
      return toHtml(record)
  }
}

/** Every recorded event, one a line. */
async function* readLog(id: string, console: OwnerClient): AsyncGenerator<string> {
  for (let after: number | undefined = 0; after !== undefined;) {
    const page: Awaited<ReturnType<OwnerClient['readEvents']>> = await console.readEvents({ id, query: { after } })
    for (const event of page.events) yield `${JSON.stringify(event)}\n`
    after = page.next
  }
}

function explainFailure(output: string) {
  return (cause: unknown): never => {
    if (cause instanceof ConsoleRefusal) throw cause
    const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
    throw new CommandFailure(`${output}: ${isThere ? 'already exists' : 'cannot be written'}.`, ExitCode.failed, {
      cause,
    })
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

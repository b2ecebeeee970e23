import type { Session, SessionRecord } from '@polylogue/console/client'
import { ExitCode } from '../exit-code.ts'
import { formatLocalTime } from '../local-time.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { formatSessionRecord } from '../session-record.ts'
import { formatTable } from '../table.ts'
import { createTerminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'
import { withOwner, type Owner } from '../with-owner.ts'
import { writePieces } from '../write-pieces.ts'

export interface SessionsFlags extends OwnerFlags {
  readonly json?: boolean
}

export interface SessionsListFlags extends SessionsFlags {
  readonly limit: number
}

export interface SessionsForkFlags extends SessionsFlags {
  readonly turn?: string
  readonly title?: string
}

const LARGEST_PAGE = 100

export function listSessions(flags: SessionsListFlags): Promise<number> {
  return withOwner(flags, async (owner) => {
    const { sessions, hasMore } = await readSessions(owner, flags.limit)
    const { stdout, stderr } = createTerminal(process)
    if (flags.json) stdout.write(`${JSON.stringify(sessions)}\n`)
    else if (sessions.length === 0) stderr.write('There are no sessions yet. Start one with: polylogue run "Hello!"\n')
    else stdout.write(formatTable(['SESSION', 'AGENT', 'STATUS', 'UPDATED', 'TITLE'], sessions.map(toRow)))
    if (hasMore && !flags.json) stderr.write(`There are more: use --limit ${flags.limit * 2}.\n`)
    return ExitCode.done
  })
}

export function showSession(id: string, flags: SessionsFlags): Promise<number> {
  return withOwner(flags, async ({ console }) => {
    const record = await console.readSession({ id })
    const { stdout } = createTerminal(process)
    await writePieces(process.stdout, flags.json ? toJson(record) : formatSessionRecord(record, stdout))
    return ExitCode.done
  })
}

/** The record on one line, in pieces. */
function* toJson({ messages, ...record }: SessionRecord): Generator<string> {
  yield `${JSON.stringify(record).slice(0, -1)},"messages":[`
  for (const [index, message] of messages.entries()) yield `${index === 0 ? '' : ','}${JSON.stringify(message)}`
  yield ']}\n'
}

export function forkSession(id: string, { turn, title, ...flags }: SessionsForkFlags): Promise<number> {
  return withOwner(flags, async ({ console }) => {
    const fork = await console.forkSession({ id, body: { turnId: turn, title } })
    const { stdout } = createTerminal(process)
    stdout.write(`${flags.json ? JSON.stringify(fork) : fork.sessionId}\n`)
    return ExitCode.done
  })
}

async function readSessions(
  { console }: Owner,
  limit: number,
): Promise<{ readonly sessions: readonly Session[]; readonly hasMore: boolean }> {
  const sessions: Session[] = []
  let before: string | undefined
  while (sessions.length < limit) {
    const page = await console.listSessions({
      query: { before, limit: Math.min(limit - sessions.length, LARGEST_PAGE) },
    })
    sessions.push(...page.sessions)
    before = page.next
    if (before === undefined) return { sessions, hasMore: false }
  }
  return { sessions, hasMore: true }
}

function toRow({ sessionId, agent, status, updatedAt, title = '' }: Session): readonly string[] {
  return [sessionId, toTerminalLine(agent), status, formatLocalTime(updatedAt), toTerminalLine(title)]
}

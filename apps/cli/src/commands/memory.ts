import { text } from 'node:stream/consumers'
import { ExitCode } from '../exit-code.ts'
import { memoryAnswer, memoryList, type MemoryAnswer } from '../memory-wire.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { requestJson, requestText, type OwnerLink } from '../owner-link.ts'
import { formatLocalTime } from '../local-time.ts'
import { formatTable } from '../table.ts'
import { createTerminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'
import { withOwner } from '../with-owner.ts'

export interface MemoryFlags extends OwnerFlags {
  readonly json?: boolean
}

export interface MemoryListFlags extends MemoryFlags {
  readonly keyword?: string
  readonly type?: string
  readonly topic?: string
  readonly limit: number
}

export interface MemoryAddFlags extends MemoryFlags {
  readonly type?: string
  readonly topic?: string
  readonly supersedes?: number
}

const MEMORY_PATH = '/api/polylogue/memory'
const LARGEST_PAGE = 100

export function listMemories(flags: MemoryListFlags): Promise<number> {
  return withOwner(flags, async (link) => {
    const { memories, total } = await readPages(link, flags)
    const { stdout, stderr } = createTerminal(process)
    if (flags.json) {
      stdout.write(`${JSON.stringify({ memories, total })}\n`)
      return ExitCode.done
    }
    if (memories.length === 0) stderr.write('Nothing is remembered. Add something: polylogue memory add "…"\n')
    else stdout.write(formatTable(['ID', 'TYPE', 'CREATED', 'USED', 'STATE', 'MEMORY'], memories.map(toRow)))
    if (total > memories.length && memories.length > 0) {
      stderr.write(`These are ${memories.length} of ${total}; see more with --limit.\n`)
    }
    return ExitCode.done
  })
}

export async function addMemory(content: string, flags: MemoryAddFlags): Promise<number> {
  const said = content === '-' ? await text(process.stdin) : content
  const { type, topic, supersedes } = flags
  return withOwner(flags, async (link) => {
    const body = {
      content: said,
      ...(type !== undefined && { type }),
      ...(topic !== undefined && { topic }),
      ...(supersedes !== undefined && { supersedes }),
    }
    const added = await requestJson(link, memoryAnswer, { method: 'POST', path: MEMORY_PATH, body })
    createTerminal(process).stdout.write(flags.json ? `${JSON.stringify(added)}\n` : `${added.id}\n`)
    return ExitCode.done
  })
}

export function removeMemories(ids: readonly string[], flags: MemoryFlags): Promise<number> {
  return withOwner(flags, async (link) => {
    const { stderr } = createTerminal(process)
    for (const id of ids) {
      await requestText(link, { method: 'DELETE', path: `${MEMORY_PATH}/${encodeURIComponent(id)}` })
      stderr.write(`Removed ${toTerminalLine(id)}.\n`)
    }
    return ExitCode.done
  })
}

async function readPages(link: OwnerLink, flags: MemoryListFlags) {
  const { keyword, type, topic, limit } = flags
  const memories: MemoryAnswer[] = []
  let total = 0
  do {
    const asked = {
      keyword,
      type,
      topic,
      offset: memories.length,
      limit: Math.min(LARGEST_PAGE, limit - memories.length),
    }
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(asked)) if (value !== undefined) query.set(name, String(value))
    const page = await requestJson(link, memoryList, { method: 'GET', path: `${MEMORY_PATH}?${query.toString()}` })
    memories.push(...page.memories)
    total = page.memories.length === 0 ? memories.length : page.total
  } while (memories.length < Math.min(limit, total))
  return { memories, total }
}

function toRow({ id, type, createdAt, hitCount, disabled, supersededBy, content }: MemoryAnswer): readonly string[] {
  const state = supersededBy === undefined ? (disabled ? 'disabled' : '') : `see ${supersededBy}`
  return [String(id), type, formatLocalTime(createdAt), String(hitCount), state, toTerminalLine(content)]
}

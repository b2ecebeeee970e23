import type { Memory } from '@polylogue/console/client'
import { text } from 'node:stream/consumers'
import { ExitCode } from '../exit-code.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { formatLocalTime } from '../local-time.ts'
import { formatTable } from '../table.ts'
import { createTerminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'
import { withOwner, type Owner } from '../with-owner.ts'

export interface MemoryFlags extends OwnerFlags {
  readonly json?: boolean
}

export interface MemoryListFlags extends MemoryFlags {
  readonly keyword?: string
  readonly type?: Memory['type']
  readonly topic?: string
  readonly limit: number
}

export interface MemoryAddFlags extends MemoryFlags {
  readonly type?: Memory['type']
  readonly topic?: string
  readonly supersedes?: number
}

const LARGEST_PAGE = 100

export function listMemories(flags: MemoryListFlags): Promise<number> {
  return withOwner(flags, async (owner) => {
    const { memories, total } = await readPages(owner, flags)
    const { stdout, stderr } = createTerminal(process)
    if (flags.json) {
      stdout.write(`${JSON.stringify({ memories, total })}\n`)
      return ExitCode.done
    }
    if (memories.length === 0) stderr.write('There are no memories. Add one with: polylogue memory add "…"\n')
    else stdout.write(formatTable(['ID', 'TYPE', 'CREATED', 'USED', 'ORIGIN', 'STATE', 'MEMORY'], memories.map(toRow)))
    if (total > memories.length && memories.length > 0) {
      stderr.write(`Showing ${memories.length} of ${total}. Use --limit to see more.\n`)
    }
    return ExitCode.done
  })
}

export async function addMemory(content: string, flags: MemoryAddFlags): Promise<number> {
  const said = content === '-' ? await text(process.stdin) : content
  const { type, topic, supersedes } = flags
  return withOwner(flags, async ({ console }) => {
    const body = {
      content: said,
      ...(type !== undefined && { type }),
      ...(topic !== undefined && { topic }),
      ...(supersedes !== undefined && { supersedes }),
    }
    const added = await console.addMemory({ body })
    createTerminal(process).stdout.write(flags.json ? `${JSON.stringify(added)}\n` : `${added.id}\n`)
    return ExitCode.done
  })
}

export function removeMemories(ids: readonly string[], flags: MemoryFlags): Promise<number> {
  return withOwner(flags, async ({ console }) => {
    const { stderr } = createTerminal(process)
    for (const id of ids) {
      await console.removeMemory({ id })
      stderr.write(`Removed ${toTerminalLine(id)}.\n`)
    }
    return ExitCode.done
  })
}

async function readPages({ console }: Owner, flags: MemoryListFlags) {
  const { keyword, type, topic, limit } = flags
  const memories: Memory[] = []
  let total = 0
  do {
    const page = await console.listMemories({
      query: { keyword, type, topic, offset: memories.length, limit: Math.min(LARGEST_PAGE, limit - memories.length) },
    })
    memories.push(...page.memories)
    total = page.memories.length === 0 ? memories.length : page.total
  } while (memories.length < Math.min(limit, total))
  return { memories, total }
}

function toRow({
  id,
  type,
  createdAt,
  hitCount,
  disabled,
  supersededBy,
  content,
  ...source
}: Memory): readonly string[] {
  const state = supersededBy === undefined ? (disabled ? 'disabled' : '') : `see ${supersededBy}`
  return [
    String(id),
    type,
    formatLocalTime(createdAt),
    String(hitCount),
    toTerminalLine(originOf(source)),
    state,
    toTerminalLine(content),
  ]
}

/** Who wrote it matters: an agent may have taken it from a page or a file. */
function originOf({
  sourceSession,
  origin,
  sourceTool,
}: Pick<Memory, 'sourceSession' | 'origin' | 'sourceTool'>): string {
  if (sourceSession === undefined) return 'you'
  const words = origin === 'user' ? 'you, ' : origin === 'tool' ? `${sourceTool ?? 'a tool'}, ` : ''
  return `${words}session ${sourceSession}`
}

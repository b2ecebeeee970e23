import { crc32 } from 'node:zlib'
import { asSessionId, asUserId, type Memory, type UserId } from '@polylogue/engine'
import { damaged } from './damage.ts'
import { type Row, integerIn, optionalIntegerIn, optionalTextIn, textIn } from './row.ts'

/** The row of a memory. */
export interface StoredMemory {
  readonly userId: UserId
  readonly memory: Memory
  readonly wordCount: number
}

export type MemoryColumns = Readonly<Record<string, string | number | null>>

/** Throws for a damaged memory: skipping it or showing other content would be wrong. */
export function memoryIn(row: Row): StoredMemory {
  const memoryId = integerIn(row, 'memory_id')
  const supersededBy = optionalIntegerIn(row, 'superseded_by')
  const updatedAt = optionalIntegerIn(row, 'updated_at')
  const lastHitAt = optionalIntegerIn(row, 'last_hit_at')
  const source = optionalTextIn(row, 'source_session')
  const record = optionalTextIn(row, 'record_type')
  const origin = optionalTextIn(row, 'origin')
  const recordType = record === undefined ? undefined : oneOf(['memory', 'skill-comment'], record, memoryId)
  const optional = {
    skillName: optionalTextIn(row, 'skill_name'),
    scope: optionalTextIn(row, 'scope'),
    owner: optionalTextIn(row, 'owner'),
    topic: optionalTextIn(row, 'topic'),
    externalId: optionalTextIn(row, 'external_id'),
    writeReason: optionalTextIn(row, 'write_reason'),
    sourceTool: optionalTextIn(row, 'source_tool'),
  }
  const memory: Memory = {
    memoryId,
    type: oneOf(['feedback', 'experience'], textIn(row, 'type'), memoryId),
    content: textIn(row, 'content'),
    ...Object.fromEntries(Object.entries(optional).filter(([, text]) => text !== undefined)),
    ...(recordType !== undefined && { recordType }),
    ...(supersededBy !== undefined && { supersededBy }),
    createdAt: integerIn(row, 'created_at'),
    ...(updatedAt !== undefined && { updatedAt }),
    hitCount: integerIn(row, 'hit_count'),
    ...(lastHitAt !== undefined && { lastHitAt }),
    isDisabled: integerIn(row, 'is_disabled') !== 0,
    ...(source !== undefined && { sourceSession: asSessionId(source) }),
    ...(origin !== undefined && { origin: oneOf(['user', 'tool'], origin, memoryId) }),
  }
  const stored = { userId: asUserId(textIn(row, 'user_id')), memory, wordCount: integerIn(row, 'word_count') }
  if (checksumOf(stored) !== row['crc']) throw damaged(`The memory ${memoryId} is damaged.`)
  return stored
}

export function toMemoryColumns(stored: StoredMemory): MemoryColumns {
  return { ...columnsOf(stored), ...originOf(stored), crc: checksumOf(stored) }
}

function columnsOf({ userId, memory, wordCount }: StoredMemory): MemoryColumns {
  return {
    memory_id: memory.memoryId,
    user_id: userId,
    type: memory.type,
    content: memory.content,
    skill_name: memory.skillName ?? null,
    record_type: memory.recordType ?? null,
    scope: memory.scope ?? null,
    owner: memory.owner ?? null,
    topic: memory.topic ?? null,
    external_id: memory.externalId ?? null,
    superseded_by: memory.supersededBy ?? null,
    write_reason: memory.writeReason ?? null,
    created_at: memory.createdAt,
    updated_at: memory.updatedAt ?? null,
    hit_count: memory.hitCount,
    last_hit_at: memory.lastHitAt ?? null,
    is_disabled: memory.isDisabled ? 1 : 0,
    source_session: memory.sourceSession ?? null,
    word_count: wordCount,
  }
}

const originOf = ({ memory }: StoredMemory): MemoryColumns => ({
  origin: memory.origin ?? null,
  source_tool: memory.sourceTool ?? null,
})

/** Memories of older versions have no origin, and their checksum does not cover one. */
function checksumOf(stored: StoredMemory): number {
  const values = Object.values(columnsOf(stored))
  return crc32(
    JSON.stringify(stored.memory.origin === undefined ? values : [...values, ...Object.values(originOf(stored))]),
  )
}

function oneOf<const Word extends string>(words: readonly Word[], found: string, memoryId: number): Word {
  const word = words.find((candidate) => candidate === found)
  if (word === undefined) throw damaged(`The memory ${memoryId} is damaged.`)
  return word
}

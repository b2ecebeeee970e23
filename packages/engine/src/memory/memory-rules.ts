import { normalizeText } from '../search/normalize-text.ts'
import type { Memory, MemoryChanges, MemoryFields, MemoryQuery, NewMemory } from '../ports/memory-store.ts'

/** The rules that every memory store applies. */

export function createMemory(memory: NewMemory, place: { readonly memoryId: number; readonly at: number }): Memory {
  const { sourceSession, origin = sourceSession === undefined ? 'user' : undefined, sourceTool } = memory
  return {
    memoryId: place.memoryId,
    ...fieldsOf(memory),
    createdAt: place.at,
    hitCount: 0,
    isDisabled: false,
    ...(sourceSession !== undefined && { sourceSession }),
    ...(origin !== undefined && { origin }),
    ...(sourceTool !== undefined && { sourceTool: sourceTool.toWellFormed() }),
  }
}

/** Only users change memories, so a changed content is the user's. */
export function changeMemory(memory: Memory, changes: MemoryChanges, at: number): Memory {
  const { isDisabled = memory.isDisabled } = changes
  const changed = { ...memory, ...fieldsOf({ ...memory, ...definedOf(changes) }), isDisabled, updatedAt: at }
  if (changed.content === memory.content) return changed
  const { sourceTool: _, ...rest } = changed
  return { ...rest, origin: 'user' }
}

export function supersedeMemory(memory: Memory, by: number, at: number): Memory {
  return { ...memory, supersededBy: by, updatedAt: at }
}

export function countHit(memory: Memory, at: number): Memory {
  return { ...memory, hitCount: memory.hitCount + 1, lastHitAt: at }
}

export function isRecallable({ isDisabled, supersededBy }: Memory): boolean {
  return !isDisabled && supersededBy === undefined
}

export function matchesQuery(
  memory: Memory,
  { offset: _offset, limit: _limit, keyword, ...fields }: MemoryQuery,
): boolean {
  const isEqual = ([name, value]: readonly [string, unknown]): boolean =>
    value === undefined || Object.entries(memory).some(([field, its]) => field === name && its === value)
  if (!Object.entries(fields).every(isEqual)) return false
  return keyword === undefined || fold(`${memory.content}\n${memory.topic ?? ''}`).includes(fold(keyword))
}

/** Makes texts well-formed, because a database would return malformed text changed. */
function fieldsOf(fields: MemoryFields): MemoryFields {
  const { skillName, recordType, scope, owner, topic, externalId, writeReason } = fields
  const optional = { skillName, scope, owner, topic, externalId, writeReason }
  return {
    type: fields.type,
    content: fields.content.toWellFormed(),
    ...(recordType !== undefined && { recordType }),
    ...Object.fromEntries(
      Object.entries(optional).flatMap(([name, text]) => (text === undefined ? [] : [[name, text.toWellFormed()]])),
    ),
  }
}

function definedOf<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Partial<T>
}

const fold = (text: string): string => normalizeText(text, 'NFKC').toLowerCase()

import type { SessionId, UserId } from '../ids.ts'

/**
 * What users asked their agents to remember. Users are isolated: another user's id is unknown, and other users'
 * memories affect neither results nor their order. Callers enforce `MEMORY_LIMITS`. A store makes texts well-formed and
 * changes nothing else.
 */
export interface MemoryStore {
  addMemory(userId: UserId, memory: NewMemory): Promise<AddedMemory>
  findMemory(userId: UserId, memoryId: number): Promise<Memory | undefined>
  /** Newest first. */
  listMemories(userId: UserId, query: MemoryQuery): Promise<MemoryPage>
  /** Changes the given fields. Returns the changed memories; ids that the user does not have are ignored. */
  changeMemories(userId: UserId, memoryIds: readonly number[], changes: MemoryChanges): Promise<readonly Memory[]>
  /** Returns the number of removed memories. Ids are never reused. */
  removeMemories(userId: UserId, memoryIds: readonly number[]): Promise<number>
  /**
   * Returns the memories that are relevant to a text, best first, without disabled and superseded ones. The same write
   * counts them as hits. Contract: fast and safe for any text; writes nothing if nothing is found.
   */
  recall(userId: UserId, text: string, limit: number): Promise<readonly Memory[]>
}

export interface Memory {
  readonly memoryId: number
  /** `feedback`: a wish of the user. `experience`: a finding of the agent. */
  readonly type: MemoryType
  readonly content: string
  /** The skill that the memory is about. */
  readonly skillName?: string
  readonly recordType?: MemoryRecordType
  readonly scope?: string
  readonly owner?: string
  readonly topic?: string
  /** The id of the memory in another memory system. */
  readonly externalId?: string
  /** The memory that corrects this one. Corrected memories are not recalled. */
  readonly supersededBy?: number
  readonly writeReason?: string
  readonly createdAt: number
  readonly updatedAt?: number
  /** How often the memory was recalled, and when it was last recalled. */
  readonly hitCount: number
  readonly lastHitAt?: number
  readonly isDisabled: boolean
  /** The session in which the agent wrote the memory. Absent: the user wrote it. */
  readonly sourceSession?: SessionId
  /** Absent: an older version stored the memory and did not record its origin. */
  readonly origin?: MemoryOrigin
  /** The tool whose result contained most words of the memory, if the origin is `tool` and the result is known. */
  readonly sourceTool?: string
}

/** Whose words a memory holds: the user's, or those of a tool result such as a web page or a file. */
export type MemoryOrigin = 'user' | 'tool'
export type MemoryType = 'feedback' | 'experience'
export type MemoryRecordType = 'memory' | 'skill-comment'

/** The fields that a user sets. The store sets all others. */
export type MemoryFields = Pick<
  Memory,
  'type' | 'content' | 'skillName' | 'recordType' | 'scope' | 'owner' | 'topic' | 'externalId' | 'writeReason'
>

export interface NewMemory extends MemoryFields {
  readonly sourceSession?: SessionId
  /** Default: `user` for a memory without a session, else unknown. */
  readonly origin?: MemoryOrigin
  readonly sourceTool?: string
  /** The memory that this one corrects. */
  readonly supersedes?: number
  /** If a recallable memory has the same content, nothing is added. This makes adding idempotent. */
  readonly unlessKnown?: true
}

export type MemoryChanges = Partial<MemoryFields & Pick<Memory, 'isDisabled'>>

export type AddedMemory =
  | { readonly type: 'added' | 'known'; readonly memory: Memory }
  | { readonly type: 'refused'; readonly reason: 'full' | 'unknown-memory' }
  /** The memory to correct was already corrected by this one. */
  | { readonly type: 'refused'; readonly reason: 'superseded'; readonly by: number }

/** A memory must match every given field. */
export interface MemoryQuery extends Partial<
  Pick<Memory, 'type' | 'skillName' | 'recordType' | 'scope' | 'owner' | 'topic' | 'isDisabled'>
> {
  /** A substring of the content or the topic, ignoring case. */
  readonly keyword?: string
  readonly offset?: number
  readonly limit: number
}

export interface MemoryPage {
  readonly memories: readonly Memory[]
  /** The total number of matches, not only those on the page. */
  readonly total: number
}

/** Lengths in code points. */
export const MEMORY_LIMITS = { content: 500, writeReason: 500, label: 255, perUser: 1_000 } as const

import type { SessionId, UserId } from '../ids.ts'

/**
 * What users had their agents remember. Nothing here ever crosses users: an id of someone else's is an unknown one, and
 * what others keep changes neither what is found nor in which order. Whoever calls has held the texts to
 * `MEMORY_LIMITS`; a store makes them well-formed and takes them otherwise as they are.
 */
export interface MemoryStore {
  addMemory(userId: UserId, memory: NewMemory): Promise<AddedMemory>
  findMemory(userId: UserId, memoryId: number): Promise<Memory | undefined>
  /** Newest first. */
  listMemories(userId: UserId, query: MemoryQuery): Promise<MemoryPage>
  /** What is left out of the changes stays. Returns those of them that the user has, as they are now. */
  changeMemories(userId: UserId, memoryIds: readonly number[], changes: MemoryChanges): Promise<readonly Memory[]>
  /** How many of them the user had. An id is never given again. */
  removeMemories(userId: UserId, memoryIds: readonly number[]): Promise<number>
  /**
   * The memories that a text is about, best first, none that are disabled or superseded; counted as hits in the same
   * write. Contract: fast, and safe whatever the text is; nothing is written when nothing is found.
   */
  recall(userId: UserId, text: string, limit: number): Promise<readonly Memory[]>
}

export interface Memory {
  readonly memoryId: number
  /** `feedback`: what the user wants. `experience`: what was found out. */
  readonly type: MemoryType
  readonly content: string
  /** The skill that it is about. */
  readonly skillName?: string
  readonly recordType?: MemoryRecordType
  readonly scope?: string
  readonly owner?: string
  readonly topic?: string
  /** What another memory system calls it. */
  readonly externalId?: string
  /** The memory that corrects this one, which is then no longer recalled. */
  readonly supersededBy?: number
  readonly writeReason?: string
  readonly createdAt: number
  readonly updatedAt?: number
  /** How often it was recalled, and when it was last. */
  readonly hitCount: number
  readonly lastHitAt?: number
  readonly isDisabled: boolean
  /** Where the agent was told to remember it; absent when the user wrote it down. */
  readonly sourceSession?: SessionId
}

export type MemoryType = 'feedback' | 'experience'
export type MemoryRecordType = 'memory' | 'skill-comment'

/** What a user says about a memory; all else is the store's. */
export type MemoryFields = Pick<
  Memory,
  'type' | 'content' | 'skillName' | 'recordType' | 'scope' | 'owner' | 'topic' | 'externalId' | 'writeReason'
>

export interface NewMemory extends MemoryFields {
  readonly sourceSession?: SessionId
  /** The memory that it corrects. */
  readonly supersedes?: number
  /** A memory with this content that would be recalled stands for the new one, so that adding twice adds once. */
  readonly unlessKnown?: true
}

export type MemoryChanges = Partial<MemoryFields & Pick<Memory, 'isDisabled'>>

export type AddedMemory =
  | { readonly type: 'added' | 'known'; readonly memory: Memory }
  | { readonly type: 'refused'; readonly reason: 'full' | 'unknown-memory' }
  /** What it corrects was corrected before, by that one. */
  | { readonly type: 'refused'; readonly reason: 'superseded'; readonly by: number }

/** Every field that is there must be met. */
export interface MemoryQuery extends Partial<
  Pick<Memory, 'type' | 'skillName' | 'recordType' | 'scope' | 'owner' | 'topic' | 'isDisabled'>
> {
  /** Somewhere in the content or the topic, whatever its case. */
  readonly keyword?: string
  readonly offset?: number
  readonly limit: number
}

export interface MemoryPage {
  readonly memories: readonly Memory[]
  /** All that match, beyond the page too. */
  readonly total: number
}

/** Lengths in code points. */
export const MEMORY_LIMITS = { content: 500, writeReason: 500, label: 255, perUser: 1_000 } as const

import {
  MEMORY_LIMITS,
  unreachable,
  type AddedMemory,
  type Memory as StoredMemory,
  type MemoryStore,
} from '@polylogue/engine'
import type { Memory, memoryOperations } from '../contract/memories.ts'
import type { Answers } from './answer-operations.ts'
import { Refusal } from './refusal.ts'

/** Every user has memories of their own. */
export function answerMemories({ memories }: { readonly memories: MemoryStore }): Answers<typeof memoryOperations> {
  return {
    async listMemories({ caller, query: { status, ...query } }) {
      const page = await memories.listMemories(caller.userId, {
        ...query,
        ...(status !== undefined && { isDisabled: status === 'disabled' }),
      })
      return { memories: page.memories.map(toMemoryJson), total: page.total }
    },

    async addMemory({ caller, body }) {
      return toMemoryJson(requireAdded(await memories.addMemory(caller.userId, body)))
    },

    async changeMemories({ caller: { userId }, body: { action, ids } }) {
      if (action === 'delete') return { count: await memories.removeMemories(userId, ids) }
      const changed = await memories.changeMemories(userId, ids, { isDisabled: action === 'disable' })
      return { count: changed.length }
    },

    async readMemory({ caller, params }) {
      return toMemoryJson((await memories.findMemory(caller.userId, toId(params.id))) ?? refuseUnknown())
    },

    async changeMemory({ caller, params, body: { disabled, ...fields } }) {
      const changes = { ...fields, ...(disabled !== undefined && { isDisabled: disabled }) }
      const [memory] = await memories.changeMemories(caller.userId, [toId(params.id)], changes)
      return toMemoryJson(memory ?? refuseUnknown())
    },

    async removeMemory({ caller, params }) {
      if ((await memories.removeMemories(caller.userId, [toId(params.id)])) === 0) refuseUnknown()
    },
  }
}

function toId(text: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(id) ? id : refuseUnknown()
}

function refuseUnknown(): never {
  throw new Refusal(404, 'No such memory.')
}

function requireAdded(added: AddedMemory): StoredMemory {
  if (added.type !== 'refused') return added.memory
  switch (added.reason) {
    case 'full':
      throw new Refusal(400, `A user has ${MEMORY_LIMITS.perUser} memories at most.`)
    case 'unknown-memory':
      throw new Refusal(400, 'supersedes: no such memory.')
    case 'superseded':
      throw new Refusal(400, `supersedes: memory ${added.by} corrects it already.`)
    default:
      return unreachable(added)
  }
}

function toMemoryJson({ memoryId: id, isDisabled: disabled, ...memory }: StoredMemory): Memory {
  return { id, ...memory, disabled }
}

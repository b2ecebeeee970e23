import {
  MEMORY_LIMITS,
  unreachable,
  type AddedMemory,
  type Memory,
  type MemoryFields,
  type MemoryQuery,
  type MemoryRecordType,
  type MemoryStore,
  type UserId,
} from '@polylogue/engine'
import { z } from 'zod'
import type { BladeRestDeps } from './deps.ts'
import { count, text, toTime } from '../schema/fields.ts'
import { operation, type Operation } from './operation.ts'
import { Refusal } from './refusal.ts'
import { memorySchema, type WireMemory } from '../schema/memory.ts'

const tag = 'Memories'
const MOST_AT_ONCE = 100

const content = text(1, MEMORY_LIMITS.content)
const type = z.enum(['feedback', 'experience'])
const recordType = z.enum(['memory', 'skill_comment'])
const label = text(0, MEMORY_LIMITS.label).optional()
const labels = {
  skill_name: label,
  record_type: recordType.optional(),
  scope: label,
  owner: label,
  topic: label,
  mem0_id: label,
  write_reason: text(1, MEMORY_LIMITS.writeReason).optional(),
}

const newMemory = z.object({ content, type: type.default('feedback'), ...labels })
const changes = z.object({ content: content.optional(), type: type.optional(), ...labels })
const switched = z.object({ disabled: z.boolean() })
const batch = z.object({
  action: z.enum(['delete', 'disable', 'enable']),
  ids: z.array(z.int().min(1)).min(1).max(MOST_AT_ONCE),
})
const filters = z.object({
  keyword: text(1, MEMORY_LIMITS.content).optional(),
  skill_name: label,
  type: type.optional(),
  record_type: recordType.optional(),
  scope: label,
  owner: label,
  topic: label,
  status: z.enum(['enabled', 'disabled']).optional(),
  offset: count(0, Number.MAX_SAFE_INTEGER, 0),
  limit: count(1, MOST_AT_ONCE, 20),
})

type Deps = Pick<BladeRestDeps, 'memories'>

/** The memories of the calling user. */
export function memoryOperations(deps: Deps): readonly Operation[] {
  return [...listOperations(deps), ...oneMemoryOperations(deps)]
}

function listOperations({ memories }: Deps): readonly Operation[] {
  return [
    operation({
      method: 'POST',
      path: '/api/memories',
      name: 'createMemory',
      tag,
      summary: 'Create a memory',
      status: 201,
      body: newMemory,
      answer: memorySchema,
      refusals: { 409: 'you have reached the limit of memories' },
      async run({ caller, body }) {
        const fields = { ...toFields(body), content: body.content, type: body.type }
        return toWireMemory(addedIn(await memories.addMemory(caller.userId, fields)))
      },
    }),
    operation({
      method: 'GET',
      path: '/api/memories',
      name: 'listMemories',
      tag,
      summary: 'List memories, newest first',
      query: filters,
      answer: z.object({ items: z.array(memorySchema), total: z.int().min(0) }),
      async run({ caller, query }) {
        const page = await memories.listMemories(caller.userId, toQuery(query))
        return { items: page.memories.map(toWireMemory), total: page.total }
      },
    }),
    operation({
      method: 'POST',
      path: '/api/memories/batch',
      name: 'changeMemories',
      tag,
      summary: 'Delete, disable or enable several memories',
      body: batch,
      answer: z.object({ ok: z.literal(true), count: z.int().min(0) }),
      async run({ caller: { userId }, body: { action, ids } }) {
        const all = [...new Set(ids)]
        if (action === 'delete') return { ok: true as const, count: await memories.removeMemories(userId, all) }
        return {
          ok: true as const,
          count: await switchMemories(memories, userId, { ids: all, isDisabled: action === 'disable' }),
        }
      },
    }),
  ]
}

/** Returns how many changed. */
async function switchMemories(
  memories: MemoryStore,
  userId: UserId,
  { ids, isDisabled }: { readonly ids: readonly number[]; readonly isDisabled: boolean },
): Promise<number> {
  const found = await Promise.all(ids.map((id) => memories.findMemory(userId, id)))
  const others = found.flatMap((memory) =>
    memory === undefined || memory.isDisabled === isDisabled ? [] : [memory.memoryId],
  )
  return others.length === 0 ? 0 : (await memories.changeMemories(userId, others, { isDisabled })).length
}

function oneMemoryOperations({ memories }: Deps): readonly Operation[] {
  return [
    operation({
      method: 'GET',
      path: '/api/memories/{id}',
      name: 'getMemory',
      tag,
      summary: 'One memory',
      answer: memorySchema,
      run: async ({ caller, param }) =>
        toWireMemory((await memories.findMemory(caller.userId, idIn(param('id')))) ?? refuseUnknown()),
    }),
    operation({
      method: 'PUT',
      path: '/api/memories/{id}',
      name: 'updateMemory',
      tag,
      summary: 'Change the given fields of a memory',
      body: changes,
      answer: memorySchema,
      async run({ caller, param, body }) {
        const id = idIn(param('id'))
        const given = toFields(body)
        const isChange = Object.keys(given).length > 0
        const memory = isChange
          ? (await memories.changeMemories(caller.userId, [id], given))[0]
          : await memories.findMemory(caller.userId, id)
        return toWireMemory(memory ?? refuseUnknown())
      },
    }),
    operation({
      method: 'PATCH',
      path: '/api/memories/{id}',
      name: 'switchMemory',
      tag,
      summary: 'Disable or enable a memory',
      body: switched,
      answer: memorySchema,
      async run({ caller, param, body: { disabled } }) {
        const ids = [idIn(param('id'))]
        const [memory] = await memories.changeMemories(caller.userId, ids, { isDisabled: disabled })
        return toWireMemory(memory ?? refuseUnknown())
      },
    }),
    operation({
      method: 'DELETE',
      path: '/api/memories/{id}',
      name: 'deleteMemory',
      tag,
      summary: 'Forget it',
      answer: z.object({ ok: z.literal(true) }),
      async run({ caller, param }) {
        if ((await memories.removeMemories(caller.userId, [idIn(param('id'))])) === 0) refuseUnknown()
        return { ok: true as const }
      },
    }),
  ]
}

/** A malformed id counts as unknown. */
function idIn(given: string): number {
  return /^[1-9]\d{0,14}$/.test(given) ? Number(given) : refuseUnknown()
}

function refuseUnknown(): never {
  throw new Refusal(404, 'There is no such memory.')
}

function addedIn(added: AddedMemory): Memory {
  if (added.type !== 'refused') return added.memory
  switch (added.reason) {
    case 'full':
      throw new Refusal(409, `A user has at most ${MEMORY_LIMITS.perUser} memories.`)
    case 'unknown-memory':
    case 'superseded':
      throw new Refusal(422, 'supersedes: cannot be corrected')
    default:
      return unreachable(added)
  }
}

const RECORD_TYPES: { readonly [wire in z.output<typeof recordType>]: MemoryRecordType } = {
  memory: 'memory',
  skill_comment: 'skill-comment',
}

function toFields(given: z.output<typeof changes>): Partial<MemoryFields> {
  const { content: said, type: kind, skill_name, record_type, scope, owner, topic, mem0_id, write_reason } = given
  return {
    ...(said !== undefined && { content: said }),
    ...(kind !== undefined && { type: kind }),
    ...(skill_name !== undefined && { skillName: skill_name }),
    ...(record_type !== undefined && { recordType: RECORD_TYPES[record_type] }),
    ...(scope !== undefined && { scope }),
    ...(owner !== undefined && { owner }),
    ...(topic !== undefined && { topic }),
    ...(mem0_id !== undefined && { externalId: mem0_id }),
    ...(write_reason !== undefined && { writeReason: write_reason }),
  }
}

function toQuery({ keyword, status, offset, limit, ...fields }: z.output<typeof filters>): MemoryQuery {
  return {
    ...toFields(fields),
    ...(keyword !== undefined && { keyword }),
    ...(status !== undefined && { isDisabled: status === 'disabled' }),
    offset,
    limit,
  }
}

function toWireMemory(memory: Memory): WireMemory {
  return {
    id: memory.memoryId,
    type: memory.type,
    content: memory.content,
    skill_name: memory.skillName ?? null,
    record_type: memory.recordType === 'skill-comment' ? 'skill_comment' : (memory.recordType ?? null),
    scope: memory.scope ?? null,
    owner: memory.owner ?? null,
    topic: memory.topic ?? null,
    mem0_id: memory.externalId ?? null,
    superseded_by: memory.supersededBy ?? null,
    write_reason: memory.writeReason ?? null,
    created_at: toTime(memory.createdAt),
    updated_at: memory.updatedAt === undefined ? null : toTime(memory.updatedAt),
    hit_count: memory.hitCount,
    last_hit_at: memory.lastHitAt === undefined ? null : toTime(memory.lastHitAt),
    disabled: memory.isDisabled,
    source_session: memory.sourceSession ?? '',
  }
}

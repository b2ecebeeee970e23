import type { PromptResponse } from '@agentclientprotocol/sdk'
import { MEMORY_LIMITS, unreachable, type AddedMemory } from '@polylogue/engine'
import { randomUUID } from 'node:crypto'
import { commandsWith, type GivenCommand } from '../slash-command-list.ts'
import type { MemoryBook } from '../deps.ts'
import { parseModelValue } from '../model-names.ts'
import { allowedModes, findPreset } from '../modes.ts'
import { RpcError } from '../rpc/rpc-error.ts'
import type { AcpSession } from '../session/acp-session.ts'
import { chooseModel, setMode } from './configuration.ts'
import type { Connection } from './connection.ts'

const MOST_SHOWN = 20

/** Commands that need no turn: what became of them is said like an answer, and is no part of the history. */
export async function runSlashCommand(
  connection: Connection,
  session: AcpSession,
  command: GivenCommand,
): Promise<PromptResponse> {
  session.say(`command_${randomUUID()}`, await answerTo(connection, session, command))
  return { stopReason: 'end_turn' }
}

function answerTo(connection: Connection, session: AcpSession, { name, rest }: GivenCommand): Promise<string> {
  switch (name) {
    case 'help':
      return Promise.resolve(help(connection))
    case 'mode':
      return changeMode(connection, session, rest)
    case 'model':
      return changeModel(connection, session, rest)
    case 'memory':
      return useMemory(connection, rest)
    case 'compact':
      throw new Error('a compaction is a matter of the prompts of its session')
    default:
      return unreachable(name)
  }
}

function help({ deps }: Connection): string {
  const lines = commandsWith({ hasMemory: deps.memories !== undefined }).map(
    ({ name, description, input }) => `- \`/${name}${input ? ` ${input.hint}` : ''}\`: ${description}`,
  )
  return ['Commands:', '', ...lines, '', 'Everything else is for the agent.'].join('\n')
}

async function changeMode(connection: Connection, session: AcpSession, wanted: string): Promise<string> {
  const modes = allowedModes(connection.options.rights.presets)
  if (wanted === '') {
    const lines = modes.map(
      ({ id, description }) => `- \`${id}\`${id === session.preset ? ' (now)' : ''}: ${description}`,
    )
    return ['Modes:', '', ...lines].join('\n')
  }
  const known = modes.map(({ id }) => id).join(', ')
  if (findPreset(wanted) === undefined) return `There is no mode ${quoted(wanted)}; there are ${known}.`
  return saying(async () => {
    await setMode(connection, { sessionId: session.sessionId, modeId: wanted })
    return `The mode is ${wanted} now.`
  })
}

async function changeModel(connection: Connection, session: AcpSession, wanted: string): Promise<string> {
  const { model = 'none' } = session
  if (wanted === '') {
    const names = connection.deps.models.list().map(({ name }) => `- \`${name}\`${name === model ? ' (now)' : ''}`)
    const isListed = connection.deps.models.list().some(({ name }) => name === model)
    return ['Models:', '', ...(isListed ? [] : [`- \`${model}\` (now)`]), ...names].join('\n')
  }
  return saying(async () => {
    const choice = parseModelValue(wanted, model)
    await chooseModel(connection, session, choice)
    session.tell({ sessionUpdate: 'config_option_update', configOptions: session.configOptions })
    return `The model is ${choice.name} now; it answers from the next turn on.`
  })
}

async function useMemory({ deps, options }: Connection, rest: string): Promise<string> {
  const { memories } = deps
  if (memories === undefined) return 'Nothing is remembered here.'
  const [, verb = '', what = ''] = /^(\S*)\s*(.*)$/s.exec(rest) ?? []
  if (verb === '' || verb === 'list') return listMemories(memories, options)
  if (verb === 'add' && what !== '') return addMemory(memories, options, what)
  if (verb === 'remove' && /^#?\d{1,15}$/.test(what)) {
    const memoryId = Number(what.replace('#', ''))
    const removed = await memories.removeMemories(options.userId, [memoryId])
    return removed === 0 ? `There is no memory ${memoryId}.` : `Memory ${memoryId} is forgotten.`
  }
  return 'Say `/memory`, `/memory add TEXT` or `/memory remove NUMBER`.'
}

async function listMemories(book: MemoryBook, { userId }: Connection['options']): Promise<string> {
  const { memories, total } = await book.listMemories(userId, { limit: MOST_SHOWN })
  if (total === 0) return 'Nothing is remembered of you yet.'
  const lines = memories.map(({ memoryId, content, isDisabled }) => {
    return `- ${memoryId}: ${content.replaceAll(/\s+/g, ' ')}${isDisabled ? ' (disabled)' : ''}`
  })
  const more = total > memories.length ? ['', `… and ${total - memories.length} more.`] : []
  return ['Remembered of you:', '', ...lines, ...more].join('\n')
}

async function addMemory(book: MemoryBook, { userId }: Connection['options'], content: string): Promise<string> {
  if (Array.from(content).length > MEMORY_LIMITS.content)
    return `A memory has ${MEMORY_LIMITS.content} characters at most.`
  return describeAdded(await book.addMemory(userId, { type: 'feedback', content, unlessKnown: true }))
}

function describeAdded(added: AddedMemory): string {
  if (added.type === 'refused') return `There is no room for more than ${MEMORY_LIMITS.perUser} memories.`
  const { memoryId } = added.memory
  return added.type === 'known' ? `That is memory ${memoryId} already.` : `Remembered as ${memoryId}.`
}

/** A refusal that the client would otherwise get as an error of its prompt. */
async function saying(run: () => Promise<string>): Promise<string> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof RpcError) return `That is not possible: ${error.message}.`
    throw error
  }
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 60))

import type { PromptResponse } from '@agentclientprotocol/sdk'
import { MEMORY_LIMITS, unreachable, type AddedMemory, type OfferedModel } from '@polylogue/engine'
import { randomUUID } from 'node:crypto'
import type { OwnCommandName } from '../slash-command-list.ts'
import type { MemoryBook } from '../deps.ts'
import { parseModelValue } from '../model-names.ts'
import { allowedModes, findPreset } from '../modes.ts'
import { RpcError } from '../rpc/rpc-error.ts'
import type { AcpSession } from '../session/acp-session.ts'
import { chooseModel, setMode } from './configuration.ts'
import type { Connection } from './connection.ts'

const MOST_SHOWN = 20

/** A command of this door that needs no turn. */
export interface OwnCommand {
  readonly name: Exclude<OwnCommandName, 'compact'>
  readonly rest: string
}

/** Runs the command. Its result is sent as an agent message and is not part of the history. */
export async function runSlashCommand(
  connection: Connection,
  session: AcpSession,
  command: OwnCommand,
): Promise<PromptResponse> {
  return sayToUser(session, await answerTo(connection, session, command))
}

export function sayToUser(session: AcpSession, text: string): PromptResponse {
  session.output.say(`command_${randomUUID()}`, text)
  return { stopReason: 'end_turn' }
}

function answerTo(connection: Connection, session: AcpSession, { name, rest }: OwnCommand): Promise<string> {
  switch (name) {
    case 'help':
      return Promise.resolve(help(session))
    case 'mode':
      return changeMode(connection, session, rest)
    case 'model':
      return changeModel(connection, session, rest)
    case 'memory':
      return useMemory(connection, rest)
    case 'usage':
      return Promise.resolve(session.describeUsage())
    default:
      return unreachable(name)
  }
}

function help(session: AcpSession): string {
  const lines = session
    .commands()
    .map(({ name, description, hint }) => `- \`/${name}${hint === undefined ? '' : ` [${hint}]`}\`: ${description}`)
  return ['Commands:', '', ...lines, '', 'Any other text goes to the agent.'].join('\n')
}

async function changeMode(connection: Connection, session: AcpSession, wanted: string): Promise<string> {
  const modes = allowedModes(connection.options.rights.presets)
  if (wanted === '') {
    const lines = modes.map(
      ({ id, description }) => `- \`${id}\`${id === session.choices.preset ? ' (now)' : ''}: ${description}`,
    )
    return ['Modes:', '', ...lines].join('\n')
  }
  const known = modes.map(({ id }) => id).join(', ')
  if (findPreset(wanted) === undefined) return `Unknown mode ${quoted(wanted)}. Modes: ${known}.`
  return saying(async () => {
    await setMode(connection, { sessionId: session.sessionId, modeId: wanted })
    return `The mode is now ${wanted}.`
  })
}

async function changeModel(connection: Connection, session: AcpSession, wanted: string): Promise<string> {
  const { model = 'none' } = session.choices
  if (wanted === '') {
    return listModels(connection.deps.models.list(), model)
  }
  return saying(async () => {
    const choice = parseModelValue(wanted, model)
    await chooseModel(connection, session, choice)
    session.output.tell({ sessionUpdate: 'config_option_update', configOptions: session.choices.configOptions })
    const isListed = connection.deps.models.list().some(({ name }) => name === choice.name)
    const remark = isListed ? '' : ' No provider lists this name, so it may not exist.'
    return `The model is now ${choice.name}. It is used from the next turn.${remark}`
  })
}

/** A provider can have hundreds. The model of the session is always shown. */
function listModels(models: readonly OfferedModel[], current: string): string {
  const lineOf = ({ name }: Pick<OfferedModel, 'name'>): string => `- \`${name}\`${name === current ? ' (now)' : ''}`
  const isListed = models.some(({ name }) => name === current)
  const lines = [...Map.groupBy(models, ({ group = '' }) => group)].flatMap(([group, members]) => {
    const shown = members.filter(({ name }, index) => index < MOST_SHOWN || name === current)
    const more = members.length - shown.length
    return [...shown.map(lineOf), ...(more > 0 ? [`- … and ${more} more of ${group}`] : [])]
  })
  return ['Models:', '', ...(isListed ? [] : [lineOf({ name: current })]), ...lines].join('\n')
}

async function useMemory({ deps, options }: Connection, rest: string): Promise<string> {
  const { memories } = deps
  if (memories === undefined) return 'This server stores no memories.'
  const [, verb = '', what = ''] = /^(\S*)\s*(.*)$/s.exec(rest) ?? []
  if (verb === '' || verb === 'list') return listMemories(memories, options)
  if (verb === 'add' && what !== '') return addMemory(memories, options, what)
  if (verb === 'remove' && /^#?\d{1,15}$/.test(what)) {
    const memoryId = Number(what.replace('#', ''))
    const removed = await memories.removeMemories(options.userId, [memoryId])
    return removed === 0 ? `There is no memory ${memoryId}.` : `Memory ${memoryId} was removed.`
  }
  return 'Usage: `/memory`, `/memory add TEXT` or `/memory remove NUMBER`.'
}

async function listMemories(book: MemoryBook, { userId }: Connection['options']): Promise<string> {
  const { memories, total } = await book.listMemories(userId, { limit: MOST_SHOWN })
  if (total === 0) return 'There are no memories about you yet.'
  const lines = memories.map(({ memoryId, content, isDisabled }) => {
    return `- ${memoryId}: ${content.replaceAll(/\s+/g, ' ')}${isDisabled ? ' (disabled)' : ''}`
  })
  const more = total > memories.length ? ['', `… and ${total - memories.length} more.`] : []
  return ['Memories about you:', '', ...lines, ...more].join('\n')
}

async function addMemory(book: MemoryBook, { userId }: Connection['options'], content: string): Promise<string> {
  if (Array.from(content).length > MEMORY_LIMITS.content)
    return `A memory has at most ${MEMORY_LIMITS.content} characters.`
  return describeAdded(await book.addMemory(userId, { type: 'feedback', content, unlessKnown: true }))
}

function describeAdded(added: AddedMemory): string {
  if (added.type === 'refused') return `The limit of ${MEMORY_LIMITS.perUser} memories is reached.`
  const { memoryId } = added.memory
  return added.type === 'known' ? `That is already memory ${memoryId}.` : `Added as memory ${memoryId}.`
}

/** Turns a refusal into a message. Otherwise it would fail the prompt. */
async function saying(run: () => Promise<string>): Promise<string> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof RpcError) return `Not possible: ${error.message}.`
    throw error
  }
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 60))

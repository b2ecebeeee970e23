import { bindTrust } from './bind-trust.ts'
import { createSettings } from '../events/session-settings.ts'
import { EngineError } from '../errors.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'
import type { SessionId } from '../ids.ts'
import type { AgentDefinition, AgentRole } from '../ports/agent.ts'
import type { CreateSession } from './command.ts'
import { acceptSeed } from './accept-seed.ts'
import { startTurn } from './end-turn.ts'
import { acceptOptions, checkModel, checkSettings, checkTools } from './decide-changes.ts'
import type { DecideContext, Decision, TurnDecision } from './decision.ts'
import { openSeedCalls } from '../state/open-seed-calls.ts'

/** Creates a session, its seed and, if the command has an input, its first turn in one transaction. */
export function decideCreate(
  sessionId: SessionId,
  command: CreateSession,
  context: DecideContext,
): Decision & { turn?: TurnDecision } {
  const { agent, ids } = context
  const { access, clientTools = [], turnSettings } = command
  checkTools(agent, { access, clientTools, disabledTools: command.disabledTools })
  checkModel(command.model, context)
  checkSettings(turnSettings, context)
  const role = findRole(agent, command.role)
  const { options, secretOptions, secrets } = acceptOptions(agent, command.options ?? {}, [])
  const { messages: seed, names } = acceptSeed(command.seed ?? [], clientTools, ids)
  const preset = command.preset ?? (role?.isPlanning === true ? 'plan' : 'workspace-write')
  const settings = createSettings({
    ...command,
    access: bindTrust(access, agent),
    options,
    secretOptions,
    preset,
  })
  const via = command.via !== undefined && { via: command.via }
  const events: RecordedEvent[] = [
    { type: 'session.created', sessionId, userId: command.userId, agent: agent.name, settings, ...via },
  ]
  const seedId = seed.length > 0 ? ids.entryId() : undefined
  if (seedId !== undefined) events.push({ type: 'session.seeded', entryId: seedId, messages: seed })
  const decision = { names, secrets }

  if (command.input === undefined) {
    if (openSeedCalls(seed).length === 0) return { ...decision, events }
    const turnId = ids.turnId()
    events.push(
      { type: 'turn.started', turnId, parentEntryId: seedId, recovery: context.recovery },
      { type: 'turn.paused', turnId },
    )
    return { ...decision, events }
  }
  const inputId = ids.entryId()
  const turnId = ids.turnId()
  const ofTurn = turnSettings && { settings: turnSettings }
  events.push({ type: 'input.admitted', inputId, turnId, content: command.input, ...ofTurn, ...via })
  const firstEvent = events.length
  events.push(...startTurn({ turnId, inputId, ...ofTurn }, { settings }, { ...context, head: seedId }))
  return { ...decision, events, turn: { events, turnId, firstEvent, queued: false } }
}

function findRole({ name, roles = [] }: AgentDefinition, id: string | undefined): AgentRole | undefined {
  const role = roles.find((candidate) => candidate.id === id)
  if (id === undefined || role !== undefined) return role
  throw new EngineError('invalid-input', `the agent ${name} has no role ${id}`, 'role')
}

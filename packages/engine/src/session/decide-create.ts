import type { RecordedEvent } from '../events/recorded-event.ts'
import type { SessionId } from '../ids.ts'
import type { CreateSession } from './command.ts'
import { checkSeed } from './check-seed.ts'
import { acceptOptions, checkTools } from './decide-changes.ts'
import type { DecideContext, Decision, TurnDecision } from './decision.ts'
import { openSeedCalls } from './open-seed-calls.ts'

/** A session, its seed and, where the command carries an input, its first turn: one transaction. */
export function decideCreate(
  sessionId: SessionId,
  command: CreateSession,
  context: DecideContext,
): Decision & { turn?: TurnDecision } {
  const { agent, ids } = context
  const clientTools = command.clientTools ?? []
  checkTools(agent, command.access, clientTools)
  const accepted = acceptOptions(agent, command.options ?? {}, [])
  const seed = command.seed ?? []
  const names = checkSeed(seed, clientTools)

  const events: RecordedEvent[] = [
    {
      type: 'session.created',
      sessionId,
      userId: command.userId,
      agent: agent.name,
      access: command.access,
      clientTools,
      options: accepted.options,
      secretOptions: accepted.secretOptions,
      preset: command.preset ?? 'workspace-write',
      ...(command.directories && { directories: command.directories }),
    },
  ]
  const seedId = seed.length > 0 ? ids.entryId() : undefined
  if (seedId !== undefined) events.push({ type: 'session.seeded', entryId: seedId, messages: seed })
  const decision = { names, secrets: accepted.secrets }

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
  events.push({ type: 'input.admitted', inputId, turnId, content: command.input })
  const firstEvent = events.length
  events.push({ type: 'turn.started', turnId, inputId, parentEntryId: seedId, recovery: context.recovery })
  return { ...decision, events, turn: { events, turnId, firstEvent, queued: false } }
}

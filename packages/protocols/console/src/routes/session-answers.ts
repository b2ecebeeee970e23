import {
  asEntryId,
  asSessionId,
  asToolCallId,
  asTurnId,
  type HistoryMessages,
  type Preset,
  type UserId,
} from '@polylogue/engine'
import type { Message, sessionOperations } from '../contract/sessions.ts'
import type { waitingOperations } from '../contract/waiting.ts'
import type { Answers } from './answer-operations.ts'
import { checkDirectory } from './check-directory.ts'
import type { ConsoleDeps } from './deps.ts'
import { toMessageJson, toSessionJson, toWaitingJson } from './encode-session.ts'
import { readLogPage } from './read-log-page.ts'
import { Refusal } from './refusal.ts'
import { StreamedAnswer } from './streamed-answer.ts'

type SessionDeps = Pick<ConsoleDeps, 'engine' | 'events' | 'agents' | 'permissions' | 'isAboveCeiling' | 'embedLink'>

export function answerSessions(deps: SessionDeps): Answers<typeof sessionOperations & typeof waitingOperations> {
  const { engine, events, agents, permissions } = deps

  const refuseAboveCeiling = (preset: Preset | undefined, userId: UserId): void => {
    if (preset === undefined || !deps.isAboveCeiling(preset, userId)) return
    throw new Refusal(403, `preset: ${preset} is above the ceiling, ${permissions.ceiling}.`)
  }

  return {
    async listSessions({ caller, query: { before, limit } }) {
      const page = await engine.listSessions(caller.userId, {
        limit,
        ...(before !== undefined && { before: asSessionId(before) }),
      })
      return { sessions: page.sessions.map(toSessionJson), next: page.next }
    },

    async createSession({ caller: { userId, via }, body: { agent = agents.defaultName, preset, directory } }) {
      refuseUnknownAgent(agent, agents)
      if (directory !== undefined && via !== 'owner-socket')
        throw new Refusal(403, 'directory: only programs on the owner socket choose it.')
      const real = directory && (await checkDirectory(directory))
      refuseAboveCeiling(preset, userId)
      const { sessionId } = await engine.execute({
        type: 'create-session',
        userId,
        agent,
        access: { type: 'preset' },
        ...(preset !== undefined && { preset }),
        ...(real !== undefined && { directories: [real] }),
      })
      return { sessionId }
    },

    async readSession({ caller: { userId }, params, query }) {
      const sessionId = asSessionId(params.id)
      const view = await engine.readSession(userId, sessionId)
      const head = await events.readHead(sessionId)
      const record = { session: toSessionJson(view), events: head?.lastSeq ?? 0 }
      if (query.messages === '0') return { ...record, messages: [] }
      const messages = await engine.streamHistory(userId, sessionId, 'full')
      return new StreamedAnswer(record, 'messages', toMessages(messages))
    },

    async changeSession({ caller: { userId }, params, body }) {
      const sessionId = asSessionId(params.id)
      refuseAboveCeiling(body.preset, userId)
      await engine.execute({ type: 'configure-session', userId, sessionId, changes: body })
      const { preset, model, thinking } = await engine.readSession(userId, sessionId)
      return { preset, ...(model !== undefined && { model }), ...(thinking !== undefined && { thinking }) }
    },

    forkSession: ({ caller: { userId }, params, body: { turnId, beforeInput, title } }) =>
      engine.execute({
        type: 'fork-session',
        userId,
        sessionId: asSessionId(params.id),
        ...(turnId !== undefined && { turnId: asTurnId(turnId) }),
        ...(beforeInput !== undefined && { beforeInput: asEntryId(beforeInput) }),
        ...(title !== undefined && { title }),
      }),

    async embedSession({ caller: { userId, mayMakeKeys }, params }) {
      if (!mayMakeKeys) {
        throw new Refusal(403, 'This browser signed in more than ten minutes ago. Sign in again to make an address.')
      }
      const sessionId = asSessionId(params.id)
      await engine.readSession(userId, sessionId)
      const link = await deps.embedLink(userId, sessionId)
      if (link === undefined) throw new Refusal(403, 'Set `embed.hosts` and an https `publicUrl` first.')
      return link
    },

    cancelCall: ({ caller: { userId }, params, body: { reason } }) =>
      engine.execute({
        type: 'cancel-call',
        userId,
        sessionId: asSessionId(params.id),
        toolCallId: asToolCallId(params.call),
        reason,
      }),

    async compactSession({ caller: { userId }, params }) {
      await engine.execute({ type: 'compact-session', userId, sessionId: asSessionId(params.id) })
      return {}
    },

    async readEvents({ caller: { userId }, params, query }) {
      const sessionId = asSessionId(params.id)
      // The engine refuses a session of another user as an unknown one; the store does not look at users.
      const { lastSeq } = await engine.readSession(userId, sessionId)
      const { page, next } = await readLogPage(events, { ...query, sessionId, lastSeq })
      const shown = page.map(({ seq, at, event }) => ({ seq, at, event: { ...event } }))
      return { events: shown, ...(next !== undefined && { next }) }
    },

    async readWaiting({ caller: { userId }, params }) {
      const calls = await engine.readWaiting(userId, asSessionId(params.id))
      return { calls: calls.map(toWaitingJson) }
    },

    async answerApproval({ caller: { userId }, params, body: { granted, offer, reason } }) {
      const sessionId = asSessionId(params.id)
      const toolCallId = asToolCallId(params.call)
      const waiting = await engine.readWaiting(userId, sessionId)
      const offers = waiting.find((call) => call.toolCallId === toolCallId)?.approval?.offers ?? []
      if (granted && offer !== undefined && !offers.some(({ id }) => id === offer)) {
        throw new Refusal(400, 'offer: is not one of the offers of this call')
      }
      const { turnId } = await engine.execute({
        type: 'answer-calls',
        userId,
        sessionId,
        whenRunning: 'accept',
        answers: [
          {
            type: 'approval',
            toolCallId,
            granted,
            ...(granted && { scope: offer === undefined ? 'once' : 'session', ...(offer !== undefined && { offer }) }),
            ...(!granted && reason !== undefined && { reason }),
          },
        ],
      })
      return { turnId }
    },
  }
}

async function* toMessages(messages: HistoryMessages): AsyncGenerator<Message> {
  for await (const message of messages) yield toMessageJson(message)
}

export function refuseUnknownAgent(agent: string, agents: Pick<ConsoleDeps['agents'], 'find'>): void {
  if (agents.find(agent) === undefined) throw new Refusal(400, `agent: there is no agent called ${agent}`)
}

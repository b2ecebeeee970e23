import type { ConversationMessage, ToolCallPart } from '../content.ts'
import { EngineError, unreachable } from '../errors.ts'
import { failpoint } from '../failpoint.ts'
import type { SessionId, UserId } from '../ids.ts'
import { StorageFault } from '../ports/event-store.ts'
import { announceAppends } from '../cluster/announce-appends.ts'
import { rereadSessions } from '../cluster/reread-sessions.ts'
import { SessionBindings } from '../cluster/session-bindings.ts'
import { StoreContact, noteContact } from '../cluster/store-contact.ts'
import { LiveLink } from '../cluster/live-link.ts'
import { NodeLease } from '../cluster/node-lease.ts'
import { TurnDispatch } from '../cluster/turn-dispatch.ts'
import { Coordinator, type RunRefusal } from '../turn/coordinator.ts'
import type { EngineParts } from '../engine-parts.ts'
import { readSummary } from '../views/session-list.ts'
import { readWaitingCalls } from '../views/waiting-calls.ts'
import type { Command, CommandResults } from '../session/command.ts'
import type { Engine, ReadAs } from './engine-api.ts'
import { attachReader } from '../session/attach-reader.ts'
import { guardLevels } from '../cluster/guard-levels.ts'
import { executeCommand } from './execute-command.ts'
import type { ExecuteDeps } from './execute-deps.ts'
import { SharedStoreWatch } from './shared-store-watch.ts'
import { streamHistory } from './stream-history.ts'
import type { OpenSession } from '../session/open-session.ts'
import { OpenSessions } from '../session/open-sessions.ts'
import { isWaitingForAnswer, openCallsOf, type OpenCall, type SessionState } from '../state/session-state.ts'

export interface EngineOptions extends EngineParts {
  /** Identifies this process in leases. Unique per process start. */
  readonly owner: string
}

// No limit in practice: a turn that is skipped here waits until the next start.
const TAKEOVER_LIMIT = 1_000_000

export function createEngine(given: EngineOptions): Engine {
  const { isShared } = given
  const contact =
    isShared === true
      ? new StoreContact(given.clock, () => {
          given.log({ level: 'error', message: 'the storage has not answered for long; running turns stop' })
          coordinator.cutOff()
          given.cluster?.onCutOff?.()
        })
      : undefined
  const cluster = given.cluster && {
    ...given.cluster,
    onBeat(storageNow: number, tookMs: number) {
      contact?.reached()
      given.cluster?.onBeat?.(storageNow, tookMs)
    },
  }
  const reached = contact === undefined ? given.store : noteContact(given.store, contact)
  const announced =
    cluster &&
    announceAppends(guardLevels(reached, cluster.nodes), {
      claimed: (id, seq) => link?.claimed(id, seq),
      appended: (id, seq) => link?.appended(id, seq),
      deleted: (id) => link?.deleted(id),
    })
  const options: EngineOptions = { ...given, store: announced ?? reached }
  const { store } = options
  const placement = cluster && {
    admits: () => dispatch?.admits() !== false,
    delegate: (id: SessionId) => cluster.dispatcher.send(id),
    isBound: (id: SessionId) => bindings?.has(id) === true,
    async refusal(session: OpenSession): Promise<RunRefusal | undefined> {
      const isNamed = session.state.settings.directories.length > 0
      const reason = isNamed ? await bindings?.refusal(session.id) : undefined
      return reason === undefined ? dispatch?.refusal(session) : { type: 'nowhere', reason }
    },
  }
  const bindings = cluster && new SessionBindings(cluster)
  const coordinator = new Coordinator(options, options.owner, placement)
  const sessions = new OpenSessions(
    options,
    (id) => coordinator.isRunning(id),
    (session, recorded) => coordinator.moved(session, recorded),
  )
  const dispatch = cluster && bindings && new TurnDispatch({ ...options, cluster }, { sessions, coordinator, bindings })
  const link = cluster && new LiveLink({ ...options, cluster }, { sessions, coordinator })
  const watch =
    options.isShared === true
      ? new SharedStoreWatch(options, {
          sessions,
          coordinator,
          ...(link && { link }),
          ...(dispatch && { dispatch }),
          ...(bindings && { bindings }),
        })
      : undefined
  const lease =
    cluster &&
    new NodeLease(
      { ...options, cluster },
      {
        isRunning: (id) => coordinator.isRunning(id),
        room: () => (isStopping || dispatch?.isWorker !== true ? undefined : dispatch.room()),
      },
    )
  cluster?.onReplaced?.(() => void rereadSessions({ ...options, sessions, coordinator }))
  let isStopping = false
  /** The sessions already checked, in a process that takes over only sessions in use. */
  let met: Set<SessionId> | undefined
  const meet = (session: OpenSession): void => {
    if (met === undefined || met.has(session.id)) return
    met.add(session.id)
    const isLeft = session.state.turn?.status === 'running' && !coordinator.isRunning(session.id)
    if (isLeft && options.agents.find(session.state.agent) !== undefined) void coordinator.takeOver(session)
  }
  const tellCancelled: ExecuteDeps['tellCancelled'] = (...cancelled) => link?.cancelled(...cancelled)
  const executeDeps = { ...options, sessions, coordinator, meet, tellCancelled }
  const owned = (userId: UserId, sessionId: SessionId) => sessions.owned(userId, sessionId)
  const readable = (userId: UserId, sessionId: SessionId, as: ReadAs = 'owner') =>
    as === 'owner' ? owned(userId, sessionId) : sessions.shared(userId, sessionId)

  const historyOf: Engine['streamHistory'] = async (userId, sessionId, view) => {
    const session = await owned(userId, sessionId)
    if (view === 'full') return streamHistory(store, sessionId, session.state.seq)
    return withWaitingCalls((await session.context()).history(), session.state)
  }

  return {
    async execute<C extends Command>(command: C): Promise<CommandResults[C['type']]> {
      if (isStopping) throw new EngineError('shutting-down', 'the server is stopping; try again in a moment')
      try {
        if (startsTurn(command)) await dispatch?.refuseIfFull()
        const executing = executeCommand(command, executeDeps)
        const result = await (contact?.unlessSilent(executing) ?? executing)
        await failpoint('ack')
        return result
      } catch (error) {
        if (!(error instanceof StorageFault)) throw error
        options.log({ level: 'error', message: 'a command could not be stored', command: command.type, error })
        throw toRefusal(error)
      }
    },

    async readSession(userId, sessionId, as) {
      return (await readable(userId, sessionId, as)).view
    },

    async listSessions(userId, { before, limit }) {
      const rows = await store.listSessions({ userId, ...(before && { before }), limit: limit + 1 })
      const page = rows.slice(0, limit)
      const last = page.at(-1)?.sessionId
      const isMore =
        rows.length > limit ||
        (last !== undefined && (await store.listSessions({ userId, before: last, limit: 1 })).length > 0)
      return {
        sessions: page.map((row) => readSummary(row.summary)),
        ...(isMore && last && { next: last }),
      }
    },

    async findSessions(userId, search) {
      const { rows, ...page } = await store.findSessions({ userId, ...search })
      return { ...page, sessions: rows.map((row) => readSummary(row.summary)) }
    },

    streamHistory: historyOf,

    async readWaiting(userId, sessionId) {
      return readWaitingCalls((await owned(userId, sessionId)).state, store)
    },

    async readQueue(userId, sessionId) {
      return (await owned(userId, sessionId)).state.queue
    },

    async readBlob(userId, sessionId, { hash, as }) {
      await readable(userId, sessionId, as)
      return store.readBlob(sessionId, hash)
    },

    async attach(userId, sessionId, { after, reader, as }) {
      const session = await readable(userId, sessionId, as)
      meet(session)
      const attachment = await attachReader({ session, store, after }, reader)
      void link?.attached(session).catch(() => undefined)
      return attachment
    },

    holdHere: async (sessionId) => (await bindings?.hold(sessionId)) ?? (() => undefined),

    async start(takeOver = 'all') {
      sessions.startEviction()
      await lease?.start()
      if (watch !== undefined) watch.start(takeOver)
      if (dispatch?.isWorker === true && takeOver === 'all') await cluster?.dispatcher.start(dispatch)
      if (watch !== undefined) return
      await store.dropLeases()
      if (takeOver === 'used') {
        met = new Set()
        return
      }
      const left: OpenSession[] = []
      for (const sessionId of await store.wantedSessions(TAKEOVER_LIMIT)) {
        try {
          const session = await sessions.find(sessionId)
          if (session !== undefined) left.push(session)
        } catch (error) {
          options.log({ level: 'error', message: 'a session could not be taken over', sessionId, error })
        }
      }
      coordinator.takeOverAll(left)
    },

    async stop(graceMs) {
      isStopping = true
      watch?.stopSweeping()
      await cluster?.dispatcher.stop()
      await coordinator.stop(graceMs)
      watch?.stop()
      contact?.stop()
      await lease?.stop()
      sessions.close()
    },
  }
}

/**
 * The model sees neither calls of sub-agents nor questions of the engine. A client must find all waiting calls in one
 * message.
 */
function withWaitingCalls(history: readonly ConversationMessage[], { turn }: SessionState): ConversationMessage[] {
  const waiting = openCallsOf(turn).filter(isWaitingForAnswer)
  const index = history.findLastIndex(({ role }) => role === 'assistant')
  const last = history[index]
  const content = last?.role === 'assistant' && typeof last.content !== 'string' ? last.content : []
  const listed = new Set(content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])))
  const missing = waiting.filter(({ toolCallId }) => !listed.has(toolCallId)).map(toPart)
  if (missing.length === 0) return [...history]
  const isOpen = openCallsOf(turn).some(({ toolCallId }) => listed.has(toolCallId))
  if (!isOpen) return [...history, { role: 'assistant', content: missing }]
  return history.with(index, { role: 'assistant', content: [...content, ...missing] })
}

const toPart = ({ toolCallId, name, input }: OpenCall): ToolCallPart => ({ type: 'tool-call', toolCallId, name, input })

function toRefusal({ kind }: StorageFault): EngineError {
  switch (kind) {
    case 'full':
      return new EngineError('storage-full', 'the disk is full, so nothing can be stored until there is room')
    case 'busy':
      return new EngineError(
        'storage-busy',
        'the database is held by another program or does not answer; try again in a moment',
      )
    case 'broken':
      return new EngineError('storage-unavailable', 'the server cannot store anything at the moment')
    default:
      return unreachable(kind)
  }
}

function startsTurn({ type, ...command }: Command): boolean {
  return type === 'start-turn' || (type === 'create-session' && 'input' in command && command.input !== undefined)
}

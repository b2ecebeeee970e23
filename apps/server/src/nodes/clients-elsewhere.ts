import {
  ALL_NODES,
  type Clock,
  type LiveBus,
  type NodeFacts,
  type Nodes,
  type SessionClient,
  type SessionId,
} from '@polylogue/engine'

export interface ClientsElsewhereParts {
  readonly bus: LiveBus
  readonly nodes: Pick<Nodes, 'list'>
  readonly self: Pick<NodeFacts, 'nodeId'>
  readonly clock: Clock
}

/** A node that does not answer within this time is not waited for. */
const ANSWER_WITHIN_MS = 500
const MOST_CLIENTS = 1_000

interface Question {
  /** The nodes that have not answered. */
  readonly awaited: Set<string>
  readonly found: SessionClient[]
  readonly answered: PromiseWithResolvers<void>
}

/** The clients that read a session at other nodes. */
export class ClientsElsewhere {
  readonly #parts: ClientsElsewhereParts
  readonly #questions = new Map<SessionId, Set<Question>>()

  constructor(parts: ClientsElsewhereParts) {
    this.#parts = parts
    parts.bus.onMessage((from, message) => {
      if (message.type !== 'clients') return
      for (const question of this.#questions.get(message.sessionId) ?? []) {
        if (!question.awaited.delete(from)) continue
        question.found.push(...message.clients)
        if (question.awaited.size === 0) question.answered.resolve()
      }
    })
  }

  /** Answers other nodes from now on. */
  answerWith(list: (sessionId: SessionId) => readonly SessionClient[]): void {
    const { bus } = this.#parts
    bus.onMessage((from, message) => {
      if (message.type !== 'ask-clients') return
      const { sessionId } = message
      bus.send(from, { type: 'clients', sessionId, clients: list(sessionId).slice(0, MOST_CLIENTS) })
    })
  }

  /** While the messages between nodes are down, nobody is found. */
  async of(sessionId: SessionId): Promise<readonly SessionClient[]> {
    const { bus, nodes, self, clock } = this.#parts
    const others = (await nodes.list()).filter(({ nodeId, isAlive }) => isAlive && nodeId !== self.nodeId)
    if (others.length === 0 || !bus.isUp) return []
    const awaited = new Set(others.map(({ nodeId }) => nodeId))
    const question: Question = { awaited, found: [], answered: Promise.withResolvers() }
    const asked = this.#questions.get(sessionId) ?? new Set()
    this.#questions.set(sessionId, asked.add(question))
    const timer = clock.setTimer(ANSWER_WITHIN_MS, question.answered.resolve)
    bus.send(ALL_NODES, { type: 'ask-clients', sessionId })
    await question.answered.promise
    timer.cancel()
    asked.delete(question)
    if (asked.size === 0) this.#questions.delete(sessionId)
    return question.found
  }
}

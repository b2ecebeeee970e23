import type { AgentCatalog, SessionId, SessionView } from '@polylogue/engine'
import { encodeSession } from './encode-agent.ts'

/** The settings that an encoded session is made of. */
type Shown = Pick<SessionView, 'access' | 'options' | 'clientTools' | 'model' | 'thinking'>

interface Encoded {
  readonly shown: Shown
  readonly text: string
}

const MOST_KEPT = 1_000

/**
 * Sessions as JSON. Clients poll them, and turns do not change what this door shows, so the text is kept until the
 * settings change. Not for sessions of other doors: they list the tools of the agent, which come and go.
 */
export class SessionTexts {
  readonly #agents: AgentCatalog
  readonly #kept = new Map<SessionId, Encoded>()

  constructor(agents: AgentCatalog) {
    this.#agents = agents
  }

  of(session: SessionView): string {
    const { sessionId, access } = session
    const kept = this.#kept.get(sessionId)
    if (kept !== undefined && isSame(kept.shown, session)) return kept.text
    const text = JSON.stringify(encodeSession(3, session, this.#agents))
    if (access.type !== 'listed') return text
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear()
    const { options, clientTools, model, thinking } = session
    this.#kept.set(sessionId, { shown: { access, options, clientTools, model, thinking }, text })
    return text
  }
}

const isSame = (one: Shown, other: Shown): boolean =>
  one.access === other.access &&
  one.options === other.options &&
  one.clientTools === other.clientTools &&
  one.model === other.model &&
  one.thinking === other.thinking

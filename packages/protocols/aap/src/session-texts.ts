import type { AgentCatalog, SessionId, SessionView } from '@polylogue/engine'
import { encodeSession } from './encode-agent.ts'

/** An encoded session, and the settings that it was made of. */
interface Encoded extends Pick<SessionView, 'access' | 'options' | 'clientTools'> {
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
    const { sessionId, access, options, clientTools } = session
    const kept = this.#kept.get(sessionId)
    if (kept?.access === access && kept.options === options && kept.clientTools === clientTools) return kept.text
    const text = JSON.stringify(encodeSession(3, session, this.#agents))
    if (access.type !== 'listed') return text
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear()
    this.#kept.set(sessionId, { access, options, clientTools, text })
    return text
  }
}

import type { Editor, ToolCallId } from '@polylogue/engine'
import type { SessionParts } from '../session/session-parts.ts'
import { createClientReader, createClientWriter } from './client-files.ts'
import { ClientRequests } from './client-requests.ts'
import { createClientTerminals } from './client-terminals.ts'

export interface Embedding {
  embed(toolCallId: ToolCallId, terminalId: string): void
  released(toolCallId: ToolCallId): void
}

/** Registers a client as the editor of one session while it has the session open. */
export class EditorPresence {
  readonly #parts: SessionParts
  readonly #editor: Editor | undefined
  #leave: (() => void) | undefined
  #isOver = false

  constructor(parts: SessionParts, { embed, released }: Embedding) {
    this.#parts = parts
    this.#editor = editorOf(parts, {
      embed: (toolCallId, terminalId) => void (this.#isOver || embed(toolCallId, terminalId)),
      released,
    })
  }

  begin(): void {
    const { deps, sessionId } = this.#parts
    if (this.#editor !== undefined) this.#leave ??= deps.editors?.register(sessionId, this.#editor)
  }

  /** Unregisters the editor. Running requests continue. Idempotent. */
  end(): void {
    this.#isOver = true
    this.#leave?.()
  }
}

/** What the client advertised when it opened the session, and may do. In profile seed, tools use the disk. */
function editorOf({ deps, options, abilities, peer, sessionId }: SessionParts, embedding: Embedding) {
  const { editors, clock } = deps
  const { rights, profile } = options
  if (editors === undefined || !rights.editorOffers || profile === 'seed') return undefined
  const log = deps.log.bind(deps)
  const requests = new ClientRequests({ peer, clock, sessionId, log })
  const editor: Editor = {
    ...(editors.allowsFiles && abilities.readsFiles && { reader: createClientReader(requests) }),
    ...(editors.allowsFiles && abilities.writesFiles && { writer: createClientWriter(requests) }),
    ...(editors.allowsTerminals &&
      abilities.hasTerminals && { terminals: createClientTerminals({ requests, ...embedding, log }) }),
  }
  return Object.keys(editor).length === 0 ? undefined : editor
}

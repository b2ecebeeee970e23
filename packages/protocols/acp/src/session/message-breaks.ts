import type { SessionUpdate } from '@agentclientprotocol/sdk'

/**
 * Many editors join chunks of one kind that follow each other, whatever their message ids are. A message that follows another
 * one of its kind directly begins with an empty line.
 */
export class MessageBreaks {
  #last: { readonly kind: string; readonly messageId: unknown } | undefined

  /** The client shows a prompt: what follows is a message of its own. */
  prompted(): void {
    this.#last = undefined
  }

  apply(update: SessionUpdate): SessionUpdate {
    const kind = update.sessionUpdate
    if (kind === 'tool_call' || kind === 'user_message_chunk') this.#last = undefined
    if (kind !== 'agent_message_chunk' && kind !== 'agent_thought_chunk') return update
    const { messageId, content } = update
    const last = this.#last
    this.#last = { kind, messageId }
    if (last?.kind !== kind || last.messageId === messageId || content.type !== 'text') return update
    return { ...update, content: { ...content, text: `\n\n${content.text}` } }
  }
}

import type { SessionUpdate } from '@agentclientprotocol/sdk'

export type ChunkKind = 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk'

export const chunk = (sessionUpdate: ChunkKind, messageId: string, text: string): SessionUpdate => ({
  sessionUpdate,
  messageId,
  content: { type: 'text', text },
})

/** Returns no update for empty text. */
export const said = (kind: ChunkKind, messageId: string, text: string): SessionUpdate[] =>
  text === '' ? [] : [chunk(kind, messageId, text)]

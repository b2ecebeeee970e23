import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { WireClient } from './wire-client.ts'

/** The history, with the chunks of one text joined. */
export const historyOf = (client: WireClient): SessionUpdate[] => toHistory(client.updates())

export function toHistory(updates: readonly SessionUpdate[]): SessionUpdate[] {
  const told: SessionUpdate[] = []
  for (const update of updates) {
    const last = told.at(-1)
    const isChunk = update.sessionUpdate.endsWith('_chunk') && last?.sessionUpdate === update.sessionUpdate
    const isSame = isChunk && 'messageId' in update && 'messageId' in last && last.messageId === update.messageId
    if (isSame && 'content' in update && 'content' in last) joinTexts(last, update)
    else if (isHistory(update)) told.push(structuredClone(update))
  }
  return told
}

function joinTexts(into: SessionUpdate, from: SessionUpdate): void {
  if (into.sessionUpdate !== 'agent_message_chunk' && into.sessionUpdate !== 'agent_thought_chunk') return
  if (from.sessionUpdate !== into.sessionUpdate) return
  if (into.content.type === 'text' && from.content.type === 'text') into.content.text += from.content.text
}

function isHistory(update: SessionUpdate): boolean {
  if (update.sessionUpdate === 'tool_call_update') return update.status !== 'in_progress'
  return /_chunk$|^tool_call|^plan$/.test(update.sessionUpdate)
}

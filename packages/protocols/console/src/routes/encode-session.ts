import {
  spellOutLine,
  toReadableLine,
  type AssistantPart,
  type CallPreview,
  type ConversationMessage,
  type SessionView,
  type WaitingCall as EngineWaitingCall,
} from '@polylogue/engine'
import type { Message, MessagePart, Session } from '../contract/sessions.ts'
import type { WaitingCall } from '../contract/waiting.ts'
import { toOffersJson } from './encode-offers.ts'

export function toSessionJson(view: SessionView): Session {
  return {
    sessionId: view.sessionId,
    user: view.userId,
    title: view.title && toReadableLine(view.title),
    status: view.status,
    agent: view.agent,
    preset: view.preset,
    model: view.model,
    thinking: view.thinking,
    directories: view.directories,
    via: view.via,
    parent: parentOf(view),
    ...(view.forks.length > 0 && { forks: view.forks }),
    lastOutcome: view.lastOutcome,
    waitingCalls: view.waitingCalls,
    createdAt: view.createdAt,
    updatedAt: view.updatedAt,
  }
}

function parentOf({ origin }: SessionView): Session['parent'] {
  const sessionId = origin?.ancestors.at(-1)
  return sessionId && { sessionId, turnId: origin?.turnId }
}

export function toMessageJson(message: ConversationMessage): Message {
  switch (message.role) {
    case 'system':
      return { role: message.role, content: message.text }
    case 'tool':
      return { role: message.role, toolCallId: message.toolCallId, content: toContentJson(message.content) }
    case 'user':
    case 'assistant':
      return { role: message.role, content: toContentJson(message.content) }
  }
}

function toContentJson(content: string | readonly AssistantPart[]): Message['content'] {
  return typeof content === 'string' ? content : content.map(toPartJson)
}

function toPartJson(part: AssistantPart): MessagePart {
  switch (part.type) {
    case 'text':
    case 'thinking':
      return { type: part.type, text: part.text }
    case 'tool-call':
      return { type: part.type, toolCallId: part.toolCallId, name: part.name, input: part.input }
    case 'image':
      return part.source.type === 'url'
        ? { type: part.type, url: part.source.url }
        : { type: part.type, hash: part.source.hash, mediaType: part.source.mediaType }
  }
}

export function toWaitingJson(call: EngineWaitingCall): WaitingCall {
  const { toolCallId, turnId, name, input, waitsFor, sentence, subAgent, preview, approval } = call
  return {
    toolCallId,
    turnId,
    name,
    input,
    waitsFor,
    sentence,
    subAgent,
    title: preview?.title && spellOutLine(preview.title),
    diffs: toDiffsJson(preview),
    approval: approval && {
      reason: approval.reason.type,
      callHash: approval.callHash,
      isCoverable: approval.isCoverable,
      offers: toOffersJson(name, input, approval.offers),
      covers: approval.covers,
      access: approval.access,
      requestedAt: approval.requestedAt,
    },
  }
}

/** A tool names the places of its changes in their order, as far as it knows them. */
export function toDiffsJson(preview: CallPreview | undefined): WaitingCall['diffs'] {
  return (preview?.diffs ?? []).map(({ path, oldText, newText }, index) => {
    const place = preview?.locations?.[index]
    return { path, oldText, newText, ...(place?.path === path && { line: place.line }) }
  })
}

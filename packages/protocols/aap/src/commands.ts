import {
  asToolCallId,
  type AnswerCalls,
  type AssistantContent,
  type CallAnswer,
  type ClientTool,
  type CreateSession,
  type IdempotencyKey,
  type ConversationMessage,
  type SessionChanges,
  type SessionId,
  type StartTurn,
  type ToolAccess,
  type UserContent,
  type UserId,
} from '@polylogue/engine'
import type { CallMessage, CreateAndRunRequest, TurnRequest } from './decode.ts'
import type { IncomingImages } from './images.ts'
import type { ChosenOptions } from './model-options.ts'
import type {
  AgentOverride,
  AssistantMessageContent,
  CreateSessionRequest,
  HistoryMessage,
  InputContent,
  ToolSpec,
} from './requests.ts'

/** What a request is translated with. */
export interface Translation {
  readonly images: IncomingImages
  readonly chosen: ChosenOptions
}

export function toCreateSession(
  userId: UserId,
  request: CreateSessionRequest,
  { images, chosen }: Translation,
): CreateSession {
  const seed = request.messages === undefined ? undefined : toSeed(request.messages, images)
  return { ...toNewSession(userId, request, chosen), seed, blobs: images.blobs }
}

export function toCreateAndRun(
  { userId, keyId, idempotency }: Pick<TurnTarget, 'userId' | 'keyId' | 'idempotency'>,
  request: CreateAndRunRequest,
  { images, chosen }: Translation,
): CreateSession {
  const seed = toSeed(request.seed, images)
  const input = toInput(request.input, images, `messages[${request.seed.length}].content`)
  return {
    ...toNewSession(userId, request, chosen),
    seed: seed.length === 0 ? undefined : seed,
    input,
    turnSettings: { keyId },
    idempotency,
    blobs: images.blobs,
  }
}

function toNewSession(
  userId: UserId,
  { agent, tools }: Pick<CreateAndRunRequest, 'agent' | 'tools'>,
  { options, settings }: ChosenOptions,
): CreateSession {
  return {
    type: 'create-session',
    userId,
    agent: agent.name,
    access: toAccess(agent.tools ?? []),
    clientTools: tools?.map(toClientTool),
    options,
    ...settings,
  }
}

export interface TurnTarget {
  readonly userId: UserId
  readonly keyId: string
  readonly sessionId: SessionId
  readonly idempotency: IdempotencyKey | undefined
}

export function toTurnCommand(
  target: TurnTarget,
  request: TurnRequest,
  { images, chosen }: Translation,
): StartTurn | AnswerCalls {
  const changes = toChanges(request.agent, request.tools, chosen)
  const { messages } = request
  const { userId, keyId, sessionId, idempotency } = target
  const place = { userId, sessionId, idempotency }
  if (messages.type === 'input') {
    const content = toInput(messages.content, images, 'messages[0].content')
    return {
      type: 'start-turn',
      ...place,
      content,
      changes,
      settings: { keyId },
      whenRunning: 'refuse',
      blobs: images.blobs,
    }
  }
  const answers = messages.answers.map((message, index) => toAnswer(message, images, `messages[${index}].content`))
  return { type: 'answer-calls', ...place, answers, changes, whenRunning: 'refuse', blobs: images.blobs }
}

function toChanges(
  agent: AgentOverride | undefined,
  tools: readonly ToolSpec[] | undefined,
  { options, settings }: ChosenOptions,
): SessionChanges | undefined {
  if (agent === undefined && tools === undefined) return undefined
  return {
    agent: agent?.name,
    access: agent?.tools === undefined ? undefined : toAccess(agent.tools),
    clientTools: tools?.map(toClientTool),
    options,
    ...settings,
  }
}

function toAccess(tools: readonly { readonly name: string; readonly trust?: boolean | undefined }[]): ToolAccess {
  return { type: 'listed', tools: tools.map(({ name, trust }) => (trust === undefined ? { name } : { name, trust })) }
}

function toClientTool({ name, title, description, parameters }: ToolSpec): ClientTool {
  return title === undefined ? { name, description, parameters } : { name, title, description, parameters }
}

function toAnswer(message: CallMessage, images: IncomingImages, field: string): CallAnswer {
  const toolCallId = asToolCallId(message.toolCallId)
  if (message.role === 'tool') return { type: 'result', toolCallId, content: toInput(message.content, images, field) }
  const { granted, reason } = message
  return reason === undefined
    ? { type: 'approval', toolCallId, granted }
    : { type: 'approval', toolCallId, granted, reason }
}

function toSeed(messages: readonly HistoryMessage[], images: IncomingImages): ConversationMessage[] {
  return messages.map((message, index): ConversationMessage => {
    const field = `messages[${index}].content`
    switch (message.role) {
      case 'system':
        return { role: 'system', text: message.content }
      case 'user':
        return { role: 'user', content: toInput(message.content, images, field) }
      case 'assistant':
        return { role: 'assistant', content: toAssistant(message.content, images, field) }
      case 'tool': {
        const content = toInput(message.content, images, field)
        return { role: 'tool', toolCallId: asToolCallId(message.toolCallId), content }
      }
    }
  })
}

function toInput(content: InputContent, images: IncomingImages, field: string): UserContent {
  if (typeof content === 'string') return content
  return content.map((block, index) =>
    block.type === 'text' ? { type: 'text', text: block.text } : images.toPart(block.url, `${field}[${index}].url`),
  )
}

function toAssistant(content: AssistantMessageContent, images: IncomingImages, field: string): AssistantContent {
  if (typeof content === 'string') return content
  return content.map((block, index) => {
    switch (block.type) {
      case 'text':
        return { type: 'text', text: block.text }
      case 'thinking':
        return { type: 'thinking', text: block.thinking }
      case 'tool_use':
        return { type: 'tool-call', toolCallId: asToolCallId(block.toolCallId), name: block.name, input: block.input }
      case 'image':
        return images.toPart(block.url, `${field}[${index}].url`)
    }
  })
}

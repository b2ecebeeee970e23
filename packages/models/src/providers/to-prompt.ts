// Converts our history to a provider's prompt. The engine guarantees that every call has a result. This file guarantees the
// rest: no empty parts, alternating roles, the user first and last, and nothing that only another model understands.
import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type { ImagePart, ModelMessage, ModelRequest, TextPart } from '@polylogue/engine'
import { toSentCallId } from './sent-call-id.ts'
import { toAssistantParts } from './to-assistant-parts.ts'
import { toImage } from './to-image.ts'
import type { ToolNames } from './tool-names.ts'
import type { Traits } from './traits.ts'

export interface PromptTarget {
  readonly modelName: string
  readonly traits: Traits
  readonly names: ToolNames
  readonly withImages: boolean
}

/** Without it, a message that was stopped at once and the next one would read as two tasks. */
const STOPPED = '[I stopped you before you had finished. Do not go on with that, unless I ask for it.]'

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart
type ToolMessage = ModelMessage & { readonly role: 'tool' }

export async function toPrompt(request: ModelRequest, target: PromptTarget): Promise<LanguageModelV4Prompt> {
  const prompt: LanguageModelV4Message[] = []
  const lastUser = request.messages.findLastIndex(({ role }) => role === 'user')
  let shown: UserPart[] = []
  for (const [index, message] of request.messages.entries()) {
    if (message.role === 'tool') {
      const result = await toResult(message, request, target)
      append(prompt, { role: 'tool', content: [result.part] })
      shown.push(...result.shown)
      continue
    }
    if (shown.length > 0) append(prompt, { role: 'user', content: shown })
    shown = []
    if (message.role === 'user') {
      const stopped: readonly UserPart[] = message.isAfterStop ? [{ type: 'text', text: STOPPED }] : []
      append(prompt, { role: 'user', content: [...stopped, ...(await toUserParts(message.content, request, target))] })
    } else {
      const content = toAssistantParts(message, { ...target, isCurrentTurn: index > lastUser })
      if (content.length > 0) append(prompt, { role: 'assistant', content })
    }
  }
  if (shown.length > 0) append(prompt, { role: 'user', content: shown })
  const complete = withEnds(prompt, request)
  const ordered = target.traits.isMistral ? withoutUserAfterTool(complete) : complete
  const system = request.system.trim() === '' ? [] : [systemMessage(request.system)]
  const { cacheMark } = target.traits
  return cacheMark ? withCacheMarks([...system, ...ordered], system.length, cacheMark) : [...system, ...ordered]
}

function systemMessage(text: string): LanguageModelV4Message {
  return { role: 'system', content: text.toWellFormed() }
}

/** Merges consecutive messages of one role: many models accept only alternating roles. */
function append(prompt: LanguageModelV4Message[], message: LanguageModelV4Message): void {
  const last = prompt.at(-1)
  if (last?.role === 'user' && message.role === 'user') last.content.push(...message.content)
  else if (last?.role === 'assistant' && message.role === 'assistant') last.content.push(...message.content)
  else if (last?.role === 'tool' && message.role === 'tool') last.content.push(...message.content)
  else prompt.push(message)
}

async function toUserParts(
  content: string | readonly (TextPart | ImagePart)[],
  request: ModelRequest,
  target: PromptTarget,
): Promise<UserPart[]> {
  const parts: readonly (TextPart | ImagePart)[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const sent: UserPart[] = []
  for (const part of parts) {
    if (part.type === 'image') {
      sent.push(await toImage(part, { ...target, links: target.traits.imageLinks, readBlob: request.readBlob }))
    } else if (part.text.trim() !== '') {
      sent.push({ type: 'text', text: part.text.toWellFormed() })
    }
  }
  return sent.length > 0 ? sent : [{ type: 'text', text: '(an empty message)' }]
}

/** Always one text per result: some providers match the number of texts to the number of calls. */
async function toResult(
  { toolCallId, name, content, isError }: ToolMessage,
  request: ModelRequest,
  { names, traits, withImages }: PromptTarget,
): Promise<{ readonly part: LanguageModelV4ToolResultPart; readonly shown: readonly UserPart[] }> {
  const parts: readonly (TextPart | ImagePart)[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const links = traits.toolImages === 'in-result' && !traits.toolImageLinks ? 'none' : traits.imageLinks
  const images: LanguageModelV4FilePart[] = []
  const texts: string[] = []
  for (const part of parts) {
    const sent = part.type === 'text' ? part : await toImage(part, { withImages, links, readBlob: request.readBlob })
    if (sent.type === 'file') images.push(sent)
    else if (sent.text !== '') texts.push(sent.text.toWellFormed())
  }
  const text = texts.length > 0 ? texts.join('\n') : images.length > 0 ? '(an image)' : '(no output)'
  const result = {
    type: 'tool-result' as const,
    toolCallId: toSentCallId(toolCallId, traits.isMistral),
    toolName: names.toSent(name),
  }
  if (isError) return { part: { ...result, output: { type: 'error-text', value: text } }, shown: [] }
  if (images.length === 0) return { part: { ...result, output: { type: 'text', value: text } }, shown: [] }
  if (traits.toolImages === 'as-user') {
    const heading: UserPart = { type: 'text', text: `The tool ${name} returned:` }
    return { part: { ...result, output: { type: 'text', value: text } }, shown: [heading, ...images] }
  }
  return { part: { ...result, output: { type: 'content', value: [{ type: 'text', text }, ...images] } }, shown: [] }
}

/** A seed may begin with the assistant, and a summary request may follow an answer directly. */
function withEnds(prompt: readonly LanguageModelV4Message[], { purpose }: ModelRequest): LanguageModelV4Message[] {
  const complete = [...prompt]
  if (complete[0] !== undefined && complete[0].role !== 'user')
    complete.unshift(saidByUser('(the conversation begins)'))
  const last = complete.at(-1)?.role
  if (last !== 'user' && last !== 'tool') {
    complete.push(saidByUser(purpose === 'summary' ? 'Write the summary now.' : 'Go on.'))
  }
  return complete
}

function saidByUser(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] }
}

function withoutUserAfterTool(prompt: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  return prompt.flatMap((message, index): LanguageModelV4Message[] => {
    const isAfterTool = message.role === 'user' && prompt[index - 1]?.role === 'tool'
    return isAfterTool ? [{ role: 'assistant', content: [{ type: 'text', text: '(no answer)' }] }, message] : [message]
  })
}

/** Two cache marks: after the part that never changes, and after the part the next request repeats. A step then pays for new text only. */
function withCacheMarks(
  prompt: readonly LanguageModelV4Message[],
  systemLength: number,
  providerOptions: SharedV4ProviderOptions,
): LanguageModelV4Prompt {
  return prompt.map((message, index) =>
    index < systemLength || index === prompt.length - 1 ? { ...message, providerOptions } : message,
  )
}

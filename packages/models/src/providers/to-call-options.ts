import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { ModelRequest } from '@polylogue/engine'
import type { ModelSettings, ProviderKind } from './provider-config.ts'
import { toPrompt } from './to-prompt.ts'
import { ToolNames } from './tool-names.ts'
import { toObjectSchema } from './tool-schema.ts'
import type { Traits } from './traits.ts'
import { toWellFormedObject } from './well-formed.ts'

export interface CallTarget {
  readonly modelName: string
  readonly kind: ProviderKind
  readonly traits: Traits
  readonly settings: ModelSettings
  /** The catalogue knows that the model can be told how much to think. */
  readonly takesThinking?: boolean
  readonly withImages: boolean
  readonly withTools: boolean
}

export interface SentCall {
  readonly options: LanguageModelV4CallOptions
  readonly names: ToolNames
  readonly hasImages: boolean
  readonly hasTools: boolean
}

/** Converts our request to AI SDK call options. */
export async function toCallOptions(request: ModelRequest, target: CallTarget): Promise<SentCall> {
  const { traits, settings } = target
  const names = new ToolNames(request.tools.map(({ name }) => name))
  const prompt = await toPrompt(request, { ...target, names })
  const tools = target.withTools ? request.tools.map((tool) => toTool(tool, names, traits)) : []
  const thinking = traits.thinkingFromTheStart && isUnthinkingTurn(prompt) ? undefined : settings.thinking
  return {
    options: {
      prompt,
      ...(tools.length > 0 && { tools, toolChoice: { type: 'auto' } }),
      ...(thinking !== undefined && { reasoning: thinking }),
      ...(settings.maxOutputTokens !== undefined && { maxOutputTokens: settings.maxOutputTokens }),
      ...providerOptionsOf(target, thinking),
    },
    names,
    hasImages: prompt.some(showsImage),
    hasTools: tools.length > 0,
  }
}

function toTool(
  { name, description, parameters }: ModelRequest['tools'][number],
  names: ToolNames,
  { strictTools }: Traits,
): LanguageModelV4FunctionTool {
  return {
    type: 'function',
    name: names.toSent(name),
    description: description.toWellFormed(),
    // The schema is plain JSON; only the library's type for it differs.
    inputSchema: { ...toWellFormedObject(toObjectSchema(parameters)) },
    ...(strictTools !== undefined && { strict: strictTools }),
  }
}

function providerOptionsOf(
  { kind, takesThinking = false }: Pick<CallTarget, 'kind' | 'takesThinking'>,
  thinking: ModelSettings['thinking'],
): Pick<LanguageModelV4CallOptions, 'providerOptions'> {
  switch (kind) {
    case 'openai':
      // Do not store conversations at OpenAI. Thinking then comes back encrypted. The SDK knows only some models that think.
      return { providerOptions: { openai: { store: false, ...(takesThinking && { forceReasoning: true }) } } }
    case 'google':
      if (thinking === undefined || thinking === 'none') return {}
      return { providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } }
    case 'anthropic':
      // Call input is shown only when complete; before that it may not be valid JSON.
      return { providerOptions: { anthropic: { toolStreaming: false } } }
    case 'vertex':
      if (thinking === undefined || thinking === 'none') return {}
      return { providerOptions: { googleVertex: { thinkingConfig: { includeThoughts: true } } } }
    case 'bedrock':
    case 'openai-compatible':
      return {}
  }
}

/** The last step made calls without thinking, or came from another model. */
function isUnthinkingTurn(prompt: LanguageModelV4Prompt): boolean {
  const answer = prompt.findLast((message) => message.role === 'assistant')
  return answer?.content.some(({ type }) => type === 'tool-call') === true && answer.content[0]?.type !== 'reasoning'
}

function showsImage(message: LanguageModelV4Prompt[number]): boolean {
  if (message.role === 'user') return message.content.some(({ type }) => type === 'file')
  if (message.role !== 'tool') return false
  return message.content.some(
    (part) =>
      part.type === 'tool-result' &&
      part.output.type === 'content' &&
      part.output.value.some(({ type }) => type === 'file'),
  )
}

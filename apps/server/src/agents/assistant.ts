import type { AgentDefinition, Model } from '@polylogue/engine'

export interface AssistantParts {
  readonly model: Model
  readonly modelName: string
  /** The model is the offline guide. */
  readonly isDemo: boolean
  readonly maxSteps: number
}

/** Who answers when nothing is configured. */
export function createAssistant({ model, modelName, isDemo, maxSteps }: AssistantParts): AgentDefinition {
  return {
    name: 'assistant',
    title: 'Assistant',
    version: '1.0.0',
    description: isDemo
      ? 'The built-in agent. Without a model it is an offline demo, not an AI.'
      : 'The built-in agent.',
    instructions: 'You are a helpful assistant.',
    model,
    modelName,
    tools: [],
    options: [],
    features: {
      histories: ['compacted', 'full'],
      streams: ['delta', 'message', 'none'],
      clientTools: true,
      images: isDemo ? [] : ['http', 'data'],
    },
    maxSteps,
  }
}

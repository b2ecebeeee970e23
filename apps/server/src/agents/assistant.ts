import type { AgentDefinition, Clock } from '@polylogue/engine'
import { createDemoModel } from '@polylogue/models'

/** Who answers when nothing is configured. */
export function createAssistant(parts: { readonly clock: Clock; readonly maxSteps: number }): AgentDefinition {
  return {
    name: 'assistant',
    title: 'Assistant',
    version: '1.0.0',
    description: 'The built-in agent. Without a model of its own it is an offline demo, not an AI.',
    instructions: 'You are a helpful assistant.',
    model: createDemoModel(parts),
    modelName: 'polylogue/demo',
    tools: [],
    options: [],
    features: {
      histories: ['compacted', 'full'],
      streams: ['delta', 'message', 'none'],
      clientTools: true,
      images: [],
    },
    maxSteps: parts.maxSteps,
  }
}

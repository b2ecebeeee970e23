import type { AgentDefinition, Clock, Tool } from '@polylogue/engine'
import { createScriptedModel } from '@polylogue/models'
import { createScriptedTools } from '@polylogue/tools'
import { BARE_AGENT, FULL_AGENT } from './scripted-names.ts'

/** The agents that a test talks to: one with everything, one with nothing. `--scripted` serves them. */
export function createScriptedAgents(parts: {
  readonly clock: Clock
  readonly maxSteps: number
  /** The built-in ones. */
  readonly tools: readonly Tool[]
}): readonly AgentDefinition[] {
  const shared = {
    version: '1.0.0',
    instructions: 'Follow the script in the last user message.',
    model: createScriptedModel(parts),
    modelName: 'polylogue/scripted',
    maxSteps: parts.maxSteps,
  }
  return [
    {
      ...shared,
      name: FULL_AGENT,
      title: 'Scripted',
      description: 'Does what the last user message tells it to, line by line. For tests.',
      tools: [...createScriptedTools(parts), ...parts.tools],
      options: [
        { type: 'secret', name: 'apiKey', title: 'API key', default: '' },
        { type: 'text', name: 'language', title: 'Language', default: 'English' },
        { type: 'select', name: 'model', title: 'Model', choices: ['a', 'b'], default: 'a' },
      ],
      features: {
        histories: ['compacted', 'full'],
        streams: ['delta', 'message', 'none'],
        clientTools: true,
        images: ['http', 'data'],
      },
    },
    {
      ...shared,
      name: BARE_AGENT,
      title: 'Scripted, bare',
      description: 'The same without tools, options and streams. For tests.',
      tools: [],
      options: [],
      features: { histories: ['compacted'], streams: ['none'], clientTools: false, images: [] },
    },
  ]
}

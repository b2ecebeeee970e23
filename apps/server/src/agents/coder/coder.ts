import type { AgentDefinition } from '@polylogue/engine'
import type { AssistantParts } from '../assistant.ts'
import { CODER_PROMPT, CODER_PROMPT_VERSION } from './coder-prompt.ts'

export const CODER = 'coder'

/** The agent that works on the user's code. The default of `polylogue acp` and `polylogue run`. */
export function createCoder(parts: AssistantParts): AgentDefinition {
  return {
    ...parts,
    name: CODER,
    title: 'Coder',
    version: CODER_PROMPT_VERSION,
    description: 'Reads, changes and runs the code of a project.',
    instructions: CODER_PROMPT,
    isToldSurroundings: true,
    options: [],
    features: {
      histories: ['compacted', 'full'],
      streams: ['delta', 'message', 'none'],
      clientTools: true,
      images: ['http', 'data'],
    },
  }
}

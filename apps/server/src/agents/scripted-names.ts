import type { AgentDefinition } from '@polylogue/engine'

export const FULL_AGENT = 'scripted'
/** Has no tools and options, also where the configuration adds some for all agents. */
export const BARE_AGENT = 'scripted-min'

/** Clients find exactly the options that these agents define. */
export const isScriptedAgent = ({ name }: Pick<AgentDefinition, 'name'>): boolean =>
  name === FULL_AGENT || name === BARE_AGENT

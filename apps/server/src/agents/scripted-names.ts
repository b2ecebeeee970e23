import type { AgentDefinition } from '@polylogue/engine'

export const FULL_AGENT = 'scripted'
/** It has nothing, whatever the configuration offers. */
export const BARE_AGENT = 'scripted-min'

/** Clients find exactly the options that these agents define. */
export const isScriptedAgent = ({ name }: Pick<AgentDefinition, 'name'>): boolean =>
  name === FULL_AGENT || name === BARE_AGENT

import type { ServerStatus } from '@polylogue/console'
import type { Parts } from './compose.ts'
import type { Door } from './doors/door.ts'
import type { Phase } from './phase.ts'
import { DEMO_MODEL } from './agents/agent-models.ts'
import { systemClock } from './platform/system-clock.ts'
import { readVersion } from './version.ts'

export interface StatusDeps {
  readonly parts: Pick<Parts, 'agents' | 'confinement'>
  readonly phase: () => Phase
  readonly url: () => string | undefined
  readonly doors: () => readonly Door[]
}

export function createStatus({ parts, phase, url, doors }: StatusDeps): () => ServerStatus {
  const fixed = {
    pid: process.pid,
    version: readVersion(),
    startedAt: systemClock.now(),
    agents: parts.agents.list().map((agent) => agent.name),
    defaultAgent: parts.agents.defaultName,
    localDefaultAgent: parts.agents.localDefaultName,
    worksInPlace: parts.agents
      .list()
      .filter(({ isToldSurroundings }) => isToldSurroundings === true)
      .map(({ name }) => name),
    demoAgents: parts.agents
      .list()
      .filter(({ modelName }) => modelName === DEMO_MODEL)
      .map(({ name }) => name),
    ...parts.confinement,
  } as const
  return () => {
    const address = url()
    const names = doors().map(({ name }) => name)
    return { ...fixed, doors: names, phase: phase(), ...(address === undefined ? {} : { url: address }) }
  }
}

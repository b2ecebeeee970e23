import { EngineError } from '../errors.ts'
import { LOWEST_LEVEL, levelOfEvents } from '../events/levels.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { Nodes } from '../ports/nodes.ts'

/** The same store. It refuses events that a live node cannot read, because nodes of an older version are still running. */
export function guardLevels(store: EventStore, nodes: Pick<Nodes, 'minLevel'>): EventStore {
  return {
    ...store,
    append(request) {
      const level = levelOfEvents(request.events)
      if (level === LOWEST_LEVEL) return store.append(request)
      // The caller may change its list while the nodes are asked.
      const copy = { ...request, events: [...request.events] }
      return refuseBeyond(level, nodes).then(() => store.append(copy))
    },
  }
}

async function refuseBeyond(level: number, nodes: Pick<Nodes, 'minLevel'>): Promise<void> {
  if (level <= (await nodes.minLevel())) return
  throw new EngineError(
    'storage-busy',
    'a node of an older version is still running and cannot read this; try again when all nodes are updated',
  )
}

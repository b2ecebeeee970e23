import type { StreamMode, WireMeta } from '../wire.ts'
import { AapError } from './aap-error.ts'
import { wireMeta } from './wire-schemas.ts'

export interface OfferedAgent {
  readonly name: string
  /** The finest way in which the agent can stream. */
  readonly stream: StreamMode
}

export function toOfferedAgents(meta: WireMeta): readonly OfferedAgent[] {
  const parsed = wireMeta.safeParse(meta)
  if (!parsed.success) throw new AapError(200, 'The server does not speak AAP version 3.')
  return parsed.data.agents.map(({ name, capabilities: { stream = {} } }) => ({ name, stream: finestOf(stream) }))
}

function finestOf(stream: { readonly [mode: string]: unknown }): StreamMode {
  return stream['delta'] ? 'delta' : stream['message'] ? 'message' : 'none'
}

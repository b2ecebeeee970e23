import { z } from 'zod'
import { wireAgent, type StreamMode, type WireMeta } from '../wire.ts'
import { AapError } from './aap-error.ts'

export interface OfferedAgent {
  readonly name: string
  /** The finest way in which the agent can stream. */
  readonly stream: StreamMode
}

const offer = z.object({ version: z.literal(3), agents: z.array(wireAgent.pick({ name: true, capabilities: true })) })

export function toOfferedAgents(meta: WireMeta): readonly OfferedAgent[] {
  const parsed = offer.safeParse(meta)
  if (!parsed.success) throw new AapError(200, 'The server does not speak AAP version 3.')
  return parsed.data.agents.map(({ name, capabilities }) => ({ name, stream: finestOf(capabilities?.stream ?? {}) }))
}

function finestOf(stream: { readonly [mode in StreamMode]?: unknown }): StreamMode {
  return stream.delta ? 'delta' : stream.message ? 'message' : 'none'
}

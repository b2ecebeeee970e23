import { CommandFailure } from './command-failure.ts'
import { ExitCode } from './exit-code.ts'
import { requestJson, type OwnerLink } from './owner-link.ts'
import type { StreamMode } from './turn-stream.ts'
import { meta, serverStatus, type Agent } from './wire.ts'

/** The agent of that name, or the default one. */
export async function chooseAgent(link: OwnerLink, name: string | undefined): Promise<Agent> {
  const { agents } = await requestJson(link, meta, { method: 'GET', path: '/aap/v3/meta' })
  const wanted = name ?? (await readDefaultAgent(link))
  const agent = agents.find((candidate) => candidate.name === wanted)
  if (agent) return agent
  const offer = agents.map((candidate) => candidate.name).join(', ')
  const hint = wanted.startsWith('scripted') ? ' (the running server was started without --scripted)' : ''
  throw new CommandFailure(`There is no agent "${wanted}" here${hint}. There is: ${offer}.`, ExitCode.usage)
}

async function readDefaultAgent(link: OwnerLink): Promise<string> {
  return (await requestJson(link, serverStatus, { method: 'GET', path: '/api/polylogue/status' })).defaultAgent
}

/** The liveliest way in which this agent answers. */
export function streamModeOf({ capabilities: { stream = {} } }: Agent): StreamMode {
  return stream['delta'] ? 'delta' : stream['message'] ? 'message' : 'none'
}

import { toOfferedAgents, type OfferedAgent } from '@polylogue/aap/client'
import { CommandFailure } from './command-failure.ts'
import { ExitCode } from './exit-code.ts'
import type { Owner } from './with-owner.ts'

/** The agent of that name, or the default agent of this machine's user. */
export async function chooseAgent({ aap, console }: Owner, name: string | undefined): Promise<OfferedAgent> {
  const agents = toOfferedAgents(await aap.meta())
  const { defaultAgent, localDefaultAgent = defaultAgent } = await console.readStatus()
  const wanted = name ?? localDefaultAgent
  const agent = agents.find((candidate) => candidate.name === wanted)
  if (agent) return agent
  const offer = agents.map((candidate) => candidate.name).join(', ')
  const hint = wanted.startsWith('scripted') ? ' (the running server was started without --scripted)' : ''
  throw new CommandFailure(`There is no agent "${wanted}"${hint}. Agents: ${offer}.`, ExitCode.usage)
}

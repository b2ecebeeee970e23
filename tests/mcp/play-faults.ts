import type { McpHold } from '@polylogue/tools'
import type { Fault } from './faults.ts'
import { callTool, createMcpWorld } from './mcp-world.ts'

/** Plays one fault; says what is wrong with how it went, with what is left of it, or with the neighbour. */
export async function playFault(fault: Fault, neighbour: McpHold): Promise<string | undefined> {
  const world = await createMcpWorld()
  const complaints: string[] = []
  try {
    const msg = `beside ${fault.name}`
    const [problem, beside] = await Promise.all([fault.play(world), callTool(neighbour, 'mcp_bad_echo', { msg })])
    if (problem !== undefined) complaints.push(problem)
    const after = await callTool(neighbour, 'mcp_bad_echo', { msg })
    if (beside.content !== msg || after.content !== msg) complaints.push('the neighbour is unwell')
  } catch (error) {
    complaints.push(error instanceof Error ? error.message : String(error))
  }
  await world.end().catch((error: unknown) => complaints.push(error instanceof Error ? error.message : String(error)))
  return complaints.length === 0 ? undefined : `${fault.name}: ${complaints.join('; ')}`
}

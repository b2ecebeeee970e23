import type { EngineParts } from '../engine-parts.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import type { Place } from '../ports/surroundings.ts'
import type { ActiveTurn } from '../state/session-state.ts'
import type { AgentLine } from './loop-agents.ts'
import { isPassing } from './passing-fault.ts'
import type { RunDeps } from './turn-deps.ts'

/**
 * Before the first model call of a turn, records what the model is told about the place where it works, if that has
 * changed. If this fails, the turn continues with the former description.
 */
export async function noteSurroundings(turn: ActiveTurn, agent: AgentDefinition, deps: RunDeps): Promise<void> {
  const { surroundings, session, fence, log } = deps
  const { turnId } = turn
  if (surroundings === undefined || !mustNoteSurroundings(turn, agent, deps)) return
  try {
    const found = await surroundings.describe(await placeOf(deps), session.state.surroundings)
    if (found === undefined) return
    await session.commit(
      (state) => ({
        events: state.turn?.turnId === turnId ? [{ type: 'surroundings.noted', turnId, ...found }] : [],
      }),
      fence,
    )
  } catch (error) {
    if (deps.signal.aborted || isPassing(error)) throw error
    log({ level: 'warn', message: 'the surroundings could not be described', sessionId: session.id, error })
  }
}

export const mustNoteSurroundings = (
  { hasAsked }: ActiveTurn,
  agent: AgentDefinition,
  { surroundings }: Pick<EngineParts, 'surroundings'>,
): boolean => surroundings !== undefined && agent.isToldSurroundings === true && !hasAsked

async function placeOf({ session, workspaces }: RunDeps): Promise<Place> {
  const { sessionId, userId, agent, settings, origin } = session.state
  const owner = { sessionId, agent, directories: settings.directories, ...(origin && { origin }) }
  return { sessionId, userId, workspace: await workspaces.prepare(owner), preset: settings.preset }
}

/** Adds the newest description to the instructions of the loop's agent, if the agent is told about it. */
export async function addSurroundings(line: AgentLine, { session }: RunDeps): Promise<AgentLine> {
  const [agent, ...above] = line
  if (agent.isToldSurroundings !== true || session.state.surroundings === undefined) return line
  const { surroundings } = await session.context()
  return [{ ...agent, instructions: `${agent.instructions}\n\n${surroundings}` }, ...above]
}

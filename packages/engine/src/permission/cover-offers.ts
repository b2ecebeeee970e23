import type { CoverOffer } from '../events/call-events.ts'
import type { CallFacts, ShellFacts } from '../events/call-facts.ts'
import type { JsonObject } from '../json.ts'
import type { Tool } from '../ports/tool.ts'
import { spellOutLine } from '../spell-out.ts'

export interface CoveredCall {
  readonly tool: Pick<Tool, 'name' | 'definition'>
  readonly input: JsonObject
  readonly facts: CallFacts
  /** The directory that the session's client named. Absent: the session has its own, and nothing is kept for it. */
  readonly project?: string | undefined
}

const LONGEST_SHOWN = 200

/**
 * What *always allow* can cover for a call, narrowest first. A command is offered as it is, with any arguments, or with its
 * whole tool, each in this session and in this project. A command that loses work or reaches other people is offered only
 * as it is, in this session. One that gets the network or other folders is not offered with its whole tool. Pure.
 */
export function coverOffers(call: CoveredCall): readonly CoverOffer[] {
  const { tool, facts, project } = call
  if (facts.type !== 'shell' || facts.fingerprint === undefined) {
    return offersFor({ id: 'tool', what: tool.name, covers: toolKey(tool) }, project)
  }
  const exact: Coverage = { id: 'call', what: shownCommand(call), covers: `${tool.name}:call:${facts.fingerprint}` }
  if (facts.isDestructive === true) return offersFor(exact, undefined)
  const whole: Coverage = { id: 'tool', what: `${tool.name}, except dangerous commands,`, covers: toolKey(tool) }
  const all = [exact, ...programOf(tool, facts), ...(needsMore(facts) ? [] : [whole])]
  return all.flatMap((coverage) => offersFor(coverage, project))
}

const needsMore = ({ network, writes }: ShellFacts): boolean => network !== undefined || writes !== undefined

interface Coverage {
  readonly id: 'call' | 'program' | 'tool'
  readonly what: string
  readonly covers: string
}

function programOf({ name }: Pick<Tool, 'name'>, { program }: ShellFacts): readonly Coverage[] {
  if (program === undefined) return []
  return [{ id: 'program', what: `\`${program}\` with any arguments`, covers: `${name}:program:${program}` }]
}

function offersFor({ id, what, covers }: Coverage, project: string | undefined): readonly CoverOffer[] {
  const shown = spellOutLine(what)
  const inSession: CoverOffer = { id, label: `Always allow ${shown} in this session`, covers }
  if (project === undefined) return [inSession]
  return [inSession, { id: `${id}-project`, label: `Always allow ${shown} in this project`, covers, project }]
}

/** A session-wide approval covers the current definition of the tool, not later versions. */
export const toolKey = ({ name, definition }: Pick<Tool, 'name' | 'definition'>): string =>
  definition === undefined ? name : `${name}@${definition}`

/** Every tool that runs commands calls the argument `command`. */
function shownCommand({ input: { command } }: CoveredCall): string {
  if (typeof command !== 'string') return 'this command'
  const line = spellOutLine(command)
  return `\`${line.length <= LONGEST_SHOWN ? line : `${line.slice(0, LONGEST_SHOWN).toWellFormed()}…`}\``
}

/** The offer that an answer chose. No id: the narrowest. `undefined`: there is no such offer. */
export const chooseOffer = <Offer extends Pick<CoverOffer, 'id'>>(
  offers: readonly Offer[],
  id: string | undefined,
): Offer | undefined => (id === undefined ? offers[0] : offers.find((one) => one.id === id))

import type { CoverOffer } from '../events/call-events.ts'
import type { CallFacts, ShellFacts } from '../events/call-facts.ts'
import type { JsonObject } from '../json.ts'
import type { Tool } from '../ports/tool.ts'
import { spellOutLine } from '../spell-out.ts'

export interface CoveredCall {
  readonly tool: Pick<Tool, 'name' | 'definition'>
  readonly input: JsonObject
  readonly facts: CallFacts
}

const LONGEST_SHOWN = 200

/**
 * What *always allow* can cover for a call, narrowest first. A command is offered as it is, with any arguments, or with its
 * whole tool. A command that loses work or reaches other people is offered only as it is. Pure.
 */
export function coverOffers(call: CoveredCall): readonly CoverOffer[] {
  const { tool, facts } = call
  if (facts.type !== 'shell' || facts.fingerprint === undefined) return [offer('tool', tool.name, toolKey(tool))]
  const exact = { what: shownCommand(call), covers: `${tool.name}:call:${facts.fingerprint}` }
  const wider = widerOf(tool, facts)
  return [
    offer('call', exact.what, exact.covers),
    ...(wider ? [offer('program', wider.what, wider.covers)] : []),
    ...(facts.isDestructive === true ? [] : [offer('tool', `${tool.name}, except dangerous commands,`, toolKey(tool))]),
  ]
}

function widerOf({ name }: Pick<Tool, 'name'>, { program, isDestructive }: ShellFacts) {
  if (program === undefined || isDestructive === true) return undefined
  return { what: `\`${program}\` with any arguments`, covers: `${name}:program:${program}` }
}

const offer = (id: CoverOffer['id'], what: string, covers: string): CoverOffer => ({
  id,
  label: `Always allow ${what} in this session`,
  covers,
})

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

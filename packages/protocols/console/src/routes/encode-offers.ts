import type { CoverOffer } from '@polylogue/engine'
import type { CallOffer } from '../contract/waiting.ts'

const LONGEST_SHOWN = 200

/** The offers of a call in parts, so that a page can word them in its own language. */
export function toOffersJson(tool: string, input: unknown, offers: readonly CoverOffer[]): CallOffer[] {
  return offers.map((offer) => ({
    id: offer.id,
    label: offer.label,
    scope: offer.project === undefined ? 'session' : 'project',
    what: whatIn(tool, input, { offer, all: offers }),
  }))
}

interface OneOf {
  readonly offer: CoverOffer
  readonly all: readonly CoverOffer[]
}

/** The engine forms ids and keys in `cover-offers.ts`. */
function whatIn(tool: string, input: unknown, { offer: { id, covers }, all }: OneOf): CallOffer['what'] {
  const program = `${tool}:program:`
  if (covers.startsWith(program)) return { type: 'program', program: covers.slice(program.length) }
  if (id.startsWith('call')) return { type: 'call', command: commandIn(input) }
  // Only commands are offered one by one.
  return { type: 'tool', tool, exceptDangerous: all.some((other) => other.id === 'call') }
}

function commandIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('command' in input)) return undefined
  const { command } = input
  if (typeof command !== 'string' || command.length <= LONGEST_SHOWN) {
    return typeof command === 'string' ? command : undefined
  }
  return `${command.slice(0, LONGEST_SHOWN).toWellFormed()}…`
}

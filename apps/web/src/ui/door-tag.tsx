const NAMES: { readonly [door: string]: string } = { aap: 'AAP', acp: 'ACP', blade: 'Blade', console: 'Console' }
const COLOURED = new Set(['aap', 'acp', 'blade'])

/** The protocol of a door: `aap` of `aap/v3`. */
export const protocolOf = (door: string): string => door.split('/', 1)[0] ?? door

export const doorName = (door: string): string => {
  const [, version] = door.split('/')
  const protocol = protocolOf(door)
  return `${NAMES[protocol] ?? protocol}${version === undefined ? '' : ` ${version}`}`
}

const LETTERS: { readonly [door: string]: string } = { aap: 'A', acp: 'C', blade: 'B', console: 'P' }

/** The same in a narrow list: a colour and a letter, and the word for those who ask. */
export function DoorLetter({ door }: { readonly door: string }) {
  const protocol = protocolOf(door)
  return (
    <span
      className={`door-letter ${COLOURED.has(protocol) ? protocol : 'plain'}`}
      role="img"
      aria-label={doorName(door)}
      title={doorName(door)}
    >
      {LETTERS[protocol] ?? protocol.slice(0, 1).toUpperCase()}
    </span>
  )
}

/** The door that something came through: a colour and a word. */
export function DoorTag({ door }: { readonly door: string }) {
  const protocol = protocolOf(door)
  return <span className={`tag ${COLOURED.has(protocol) ? protocol : 'plain'}`}>{doorName(door)}</span>
}

const NAMES: { readonly [door: string]: string } = { aap: 'AAP', acp: 'ACP', blade: 'Blade', console: 'Console' }
const COLOURED = new Set(['aap', 'acp', 'blade'])

/** The protocol of a door: `aap` of `aap/v3`. */
export const protocolOf = (door: string): string => door.split('/', 1)[0] ?? door

/** The door that something came through: a colour and a word. */
export function DoorTag({ door }: { readonly door: string }) {
  const protocol = protocolOf(door)
  const [, version] = door.split('/')
  const name = `${NAMES[protocol] ?? protocol}${version === undefined ? '' : ` ${version}`}`
  return <span className={`tag ${COLOURED.has(protocol) ? protocol : 'plain'}`}>{name}</span>
}

const NAMES: { readonly [door: string]: string } = { aap: 'AAP', acp: 'ACP', blade: 'Blade', console: 'Console' }

/** The door that something came through: a colour and a word. */
export function DoorTag({ door, isShort = false }: { readonly door: string; readonly isShort?: boolean }) {
  const name = NAMES[door] ?? door
  const kind = door in NAMES && door !== 'console' ? door : 'plain'
  return (
    <span className={`tag ${kind}`} title={name}>
      {isShort ? <abbr aria-label={name}>{name.slice(0, 1)}</abbr> : name}
    </span>
  )
}

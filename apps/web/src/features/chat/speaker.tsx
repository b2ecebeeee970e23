export function Speaker({ name, isHidden = false }: { readonly name: string; readonly isHidden?: boolean }) {
  return <h3 className={isHidden ? 'visually-hidden' : 'speaker'}>{name}</h3>
}

/** For the list of keys, so that users recognise their browsers. */
export function browserName(userAgent: string | undefined): string {
  const name = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(userAgent ?? '')?.[1]
  return name === undefined ? 'Browser' : ({ Edg: 'Edge', OPR: 'Opera' }[name] ?? name)
}

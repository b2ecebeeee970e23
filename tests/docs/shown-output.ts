// What a page shows as output says exactly what is printed, apart from what differs each time: `…` stands for
// anything, and a session id or the port of the server for any other one.

const ANYTHING = /…/.source
const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.source
const ADDRESS = /127\.0\.0\.1:\d+/.source
const PIECE = new RegExp(`(?<anything>${ANYTHING})|(?<id>${ID})|(?<address>${ADDRESS})|(?<character>[^])`, 'gu')

export function toPattern(shown: string): RegExp {
  const source = [...shown.trim().matchAll(PIECE)].map(({ groups = {} }) => {
    if (groups['anything'] !== undefined) return '[^]*?'
    if (groups['id'] !== undefined) return ID
    if (groups['address'] !== undefined) return ADDRESS
    return (groups['character'] ?? '').replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`)
  })
  return new RegExp(`^${source.join('')}$`, 'u')
}

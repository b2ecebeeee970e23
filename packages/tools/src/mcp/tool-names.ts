// `mcp_<server>_<tool>`, in letters that every provider accepts. A name that had to be changed gets a digest of the
// original. A tool's name depends only on its own name and the configuration. If it depended on other tools, a server could
// take over another tool's name, and with it that tool's approvals, by listing an additional tool.
import type { Digest } from '@polylogue/engine'

const LONGEST_NAME = 64
const LONGEST_SERVER = 24
const MARK = 6

/** The server part of the names, for each server. */
export function nameServers(names: readonly string[], digest: Digest): ReadonlyMap<string, string> {
  const plain = new Map(names.map((name) => [name, toLetters(name)] as const))
  // With the servers `a` and `a_b`, the name `mcp_a_b_c` would be ambiguous.
  const isAmbiguous = (name: string): boolean =>
    names.some((other) => {
      if (other === name) return false
      const [mine = '', theirs = ''] = [plain.get(name), plain.get(other)]
      return mine === theirs || mine.startsWith(`${theirs}_`) || theirs.startsWith(`${mine}_`)
    })
  return new Map(
    names.map((name) => {
      const letters = plain.get(name) ?? ''
      const isPlain = letters === name && letters.length <= LONGEST_SERVER && !isAmbiguous(name)
      return [name, isPlain ? letters : `${letters.slice(0, LONGEST_SERVER - MARK - 1)}-${markOf(name, digest)}`]
    }),
  )
}

export function nameTool(serverPart: string, tool: string, digest: Digest): string {
  const letters = toLetters(tool)
  const name = `mcp_${serverPart}_${letters}`
  if (letters === tool && name.length <= LONGEST_NAME) return name
  return `${name.slice(0, LONGEST_NAME - MARK - 1)}-${markOf(tool, digest)}`
}

const toLetters = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, '_')

const markOf = (name: string, digest: Digest): string => digest(name).slice(0, MARK)

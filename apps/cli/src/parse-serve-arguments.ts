import type { ServeFlags } from './commands/serve.ts'
import { splitFlag, takeChoice, takeText } from './flag-values.ts'

type Draft = { -readonly [Name in keyof ServeFlags]: ServeFlags[Name] }
type TextFlag =
  | 'host'
  | 'data'
  | 'database'
  | 'databaseDirect'
  | 'redis'
  | 'nodeUrl'
  | 'workspaces'
  | 'config'
  | 'publicUrl'

/**
 * The command line of a server, read without commander, which would take a twentieth of the time until the server is
 * ready. `undefined`: another verb, a call for help, a mistake or a rare flag. `program.ts` answers those.
 */
export function parseServeArguments(args: readonly string[]): ServeFlags | undefined {
  const [verb = 'serve', ...words] = args
  if (verb !== 'serve') return undefined
  const flags: Draft = { port: 8020, host: '127.0.0.1', key: [] }
  while (words.length > 0) if (!takeFlag(words, flags)) return undefined
  return flags
}

function takeFlag(words: string[], flags: Draft): boolean {
  const { name, given } = splitFlag(words.shift() ?? '')
  const value = (): string | undefined => given ?? words.shift()
  switch (name) {
    case '--json':
      flags.json = true
      return given === undefined
    case '--scripted':
      flags.scripted = true
      return given === undefined
    case '-p':
    case '--port':
      return takePort(value(), (port) => (flags.port = port))
    case '--role':
      return takeChoice(value(), ['all', 'web', 'worker'], (role) => (flags.role = role))
    case '--key':
      return takeText(value(), (key) => (flags.key = [...flags.key, key]))
    default: {
      const flag = TEXTS.get(name)
      return flag !== undefined && takeText(value(), (text) => (flags[flag] = text))
    }
  }
}

const TEXTS = new Map<string, TextFlag>([
  ['--host', 'host'],
  ['--data', 'data'],
  ['--database', 'database'],
  ['--database-direct', 'databaseDirect'],
  ['--redis', 'redis'],
  ['--node-url', 'nodeUrl'],
  ['--workspaces', 'workspaces'],
  ['--config', 'config'],
  ['--public-url', 'publicUrl'],
])

function takePort(value: string | undefined, set: (port: number) => void): boolean {
  const port = toPort(value ?? '')
  if (port !== undefined) set(port)
  return port !== undefined
}

/** `undefined`: it is not a port. */
export function toPort(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined
}

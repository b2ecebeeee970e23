import { type Field, UNKNOWN } from './field.ts'
import { NETWORK_PROGRAMS } from './network-programs.ts'
import { type SimpleCommand, baseName, operandsOf } from './simple-command.ts'

const MOST_HOSTS = 16
const UNKNOWN_HOST = 'a host that shows only when it runs'

/**
 * Whom a command talks to, as far as its text shows, in words for people. `undefined`: it is not known to need the
 * network. What it really reaches is not limited to these hosts.
 */
export function findNetwork(commands: readonly SimpleCommand[]): readonly string[] | undefined {
  const found = commands.flatMap((command) => talksTo(command) ?? [])
  return found.length === 0 ? undefined : [...new Set(found)].slice(0, MOST_HOSTS)
}

function talksTo(command: SimpleCommand): readonly string[] | undefined {
  const { name, args } = command
  const module = moduleOf(command)
  if (module) return talksTo(module)
  const program = NETWORK_PROGRAMS.get(name)
  if (program === undefined || isOffline(command)) return undefined
  if (program.takesHosts === true) return hostsOf(operandsOf(args), true)
  const operands = operandsOf(args)
  const verb = verbOf(command, program.verbs)
  const isVersion = operands.length === 0 && args.length > 0
  if (program.verbs !== undefined && (isVersion || !program.verbs.has(verb))) return undefined
  if (isVersion && args.every(({ text }) => /^(?:-v|-V|-h|--version|--help)$/.test(text))) return undefined
  const named = hostsOf(args, false)
  const isElsewhere = named.length > 0 && (name === 'git' || args.some(({ text }) => SOURCE.test(text)))
  return isElsewhere ? named : [...program.talksTo, ...named]
}

/** Options before the verb may have values: `git -C folder push`. */
function verbOf({ args }: SimpleCommand, verbs: ReadonlySet<string> = new Set()): string {
  const operands = operandsOf(args)
  const isFirst = args[0] === operands[0]
  return (isFirst ? operands[0] : (operands.find(({ text }) => verbs.has(text)) ?? operands[0]))?.text ?? ''
}

/** Options that replace the usual registry. */
const SOURCE = /^(?:--(?:registry|index-url|index|default-index|source|repository)(?:=|$)|-i$)/

/** `python -m pip install x` is `pip install x`. */
function moduleOf(command: SimpleCommand): SimpleCommand | undefined {
  if (!/^(?:python|pypy|py)[\d.]*$/.test(command.name)) return undefined
  const at = command.args.findIndex(({ text }) => text === '-m')
  const module = command.args[at + 1]
  if (at === -1 || module === undefined) return undefined
  return { ...command, name: baseName(module.text), args: command.args.slice(at + 2) }
}

function isOffline({ name, args }: SimpleCommand): boolean {
  return args.some(({ text }) => {
    if (text === '--offline' || text === '--no-install' || text === '--frozen') return true
    return text === '-o' && /^mvnw?$/.test(name)
  })
}

const URL_START = /[a-z][a-z0-9+.-]{0,30}:\/\/[^\s'"]+/gi
/** `git@example.com:a/b.git` */
const SCP_LIKE = /^(?:[\w.-]+@)?([\w.-]+\.[\w-]+|localhost):(?!\/\/)/
const PLAIN_HOST = /^(?:[\w.-]+@)?((?:[\w-]+\.)+[\w-]+|localhost|\[[\da-f:]+\])(?::\d+)?(?:[/?#]|$)/i

function hostsOf(fields: readonly Field[], areHosts: boolean): readonly string[] {
  const found = fields.flatMap((field) => {
    const { text } = field
    const urls = [...text.matchAll(URL_START)].map(([url]) => hostOfUrl(url))
    if (urls.length > 0) return urls
    const other = SCP_LIKE.exec(text)?.[1] ?? (areHosts ? PLAIN_HOST.exec(text)?.[1] : undefined)
    if (other !== undefined) return [hostOfUrl(`http://${other}`)]
    return areHosts && text.includes(UNKNOWN) ? [UNKNOWN_HOST] : []
  })
  // A single word may be a host of the local network.
  const [first] = fields
  if (areHosts && found.length === 0 && first !== undefined) return [hostOfUrl(`http://${first.text}`)]
  return found
}

/** In ASCII, so that no letter of another script imitates a known name. */
function hostOfUrl(url: string): string {
  if (url.includes(UNKNOWN)) return UNKNOWN_HOST
  const parsed = URL.parse(url.replace(/^[a-z][a-z0-9+.-]*:/i, 'http:'))
  return parsed === null || parsed.host === '' ? 'a host that cannot be read' : parsed.host
}

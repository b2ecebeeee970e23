import type { AvailableCommand } from '@agentclientprotocol/sdk'
import type { GivenCommand, SessionCommand } from '@polylogue/kit'

/** The commands of this door. The others come with `deps.commands`. */
export type OwnCommandName = 'compact' | 'mode' | 'model' | 'usage' | 'memory' | 'help'

const OWN: readonly (SessionCommand & { readonly name: OwnCommandName })[] = [
  { name: 'compact', description: 'Summarize the conversation for the model; the history stays' },
  { name: 'mode', description: 'Show or change what tools may do without asking', hint: 'a mode' },
  { name: 'model', description: 'Show or change the model of this session', hint: 'provider/model' },
  { name: 'usage', description: 'Show the tokens and the cost of this session' },
  { name: 'memory', description: 'Show, add or remove memories about you', hint: 'add TEXT, or remove NUMBER' },
  { name: 'help', description: 'Show these commands' },
]

/** The commands that a prompt may begin with. A command of this door counts before a shared one of the same name. */
export function commandsWith(
  shared: readonly SessionCommand[],
  { hasMemory }: { readonly hasMemory: boolean },
): readonly SessionCommand[] {
  const own = OWN.filter(({ name }) => hasMemory || name !== 'memory')
  return [...shared.filter(({ name }) => findOwn(name) === undefined), ...own]
}

export const findOwn = (name: string): OwnCommandName | undefined => OWN.find((command) => command.name === name)?.name

export const toAvailableCommand = ({ name, description, hint }: SessionCommand): AvailableCommand => ({
  name,
  description,
  ...(hint !== undefined && { input: { hint } }),
})

/** Finds the command of a text. Any other text that begins with a slash goes to the model. */
export function findCommand(text: unknown, commands: readonly SessionCommand[]): GivenCommand | undefined {
  const found = typeof text === 'string' ? /^\/(\S+)(.*)$/s.exec(text.trim()) : undefined
  const name = commands.find((command) => command.name === found?.[1])?.name
  return name === undefined ? undefined : { name, rest: (found?.[2] ?? '').trim() }
}

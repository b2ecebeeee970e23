import type { AvailableCommand } from '@agentclientprotocol/sdk'

export type CommandName = 'init' | 'review' | 'undo' | 'compact' | 'mode' | 'model' | 'usage' | 'memory' | 'help'

type Command = AvailableCommand & { readonly name: CommandName }

const COMMANDS: readonly Command[] = [
  { name: 'init', description: 'Look at the project and write an AGENTS.md for it', input: { hint: 'what to stress' } },
  { name: 'review', description: 'Review changes, by default those that are not committed', input: { hint: 'what' } },
  { name: 'undo', description: 'Restore the files that the last turn changed with Edit and Write' },
  { name: 'compact', description: 'Summarize the conversation for the model; the history stays' },
  { name: 'mode', description: 'Show or change what tools may do without asking', input: { hint: 'a mode' } },
  { name: 'model', description: 'Show or change the model of this session', input: { hint: 'provider/model' } },
  { name: 'usage', description: 'Show the tokens and the cost of this session' },
  {
    name: 'memory',
    description: 'Show, add or remove memories about you',
    input: { hint: 'add TEXT, or remove NUMBER' },
  },
  { name: 'help', description: 'Show these commands' },
]

/** The commands that a prompt may begin with. */
export const commandsWith = ({ hasMemory }: { readonly hasMemory: boolean }): readonly Command[] =>
  COMMANDS.filter(({ name }) => hasMemory || name !== 'memory')

export interface GivenCommand {
  readonly name: CommandName
  /** The text after the name. */
  readonly rest: string
}

/** Finds the command of a text. Any other text that begins with a slash goes to the model. */
export function findCommand(text: unknown, commands: readonly Command[]): GivenCommand | undefined {
  const found = typeof text === 'string' ? /^\/(\S+)(.*)$/s.exec(text.trim()) : undefined
  const name = commands.find((command) => command.name === found?.[1])?.name
  return name && { name, rest: (found?.[2] ?? '').trim() }
}

import type { AvailableCommand } from '@agentclientprotocol/sdk'

export type CommandName = 'compact'

/** What a prompt may begin with, behind a slash. */
export const COMMANDS: readonly (AvailableCommand & { readonly name: CommandName })[] = [
  { name: 'compact', description: 'Shorten what the model is given; the history stays as it is' },
]

/** The command that a text is; any other text that begins with a slash is for the model. */
export function findCommand(text: unknown): CommandName | undefined {
  const name = typeof text === 'string' ? /^\/(\S+)/.exec(text.trim())?.[1] : undefined
  return COMMANDS.find((command) => command.name === name)?.name
}

import type { SessionId, UserId } from '@polylogue/engine'

/** A command that a user can type after a slash, at every door that has such commands. */
export interface SessionCommand {
  /** Without the slash. Contains no white space. */
  readonly name: string
  readonly description: string
  /** What can follow the name. Absent: nothing. */
  readonly hint?: string
}

export interface CommandedSession {
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly agent: string
}

export interface GivenCommand {
  readonly name: string
  /** The text after the name, trimmed. */
  readonly rest: string
}

/** `prompt`: send the text to the model as the user's message. `said`: show it to the user; the command is done. */
export interface CommandAnswer {
  readonly type: 'prompt' | 'said'
  readonly text: string
}

/** The commands of a session that do not depend on the door. */
export interface SessionCommands {
  /** Contract: cheap. Changes when an MCP server connects or a skill is added. */
  list(session: CommandedSession): readonly SessionCommand[]
  /** `undefined`: there is no such command. A problem is an answer of type `said`. */
  run(session: CommandedSession, command: GivenCommand, signal: AbortSignal): Promise<CommandAnswer | undefined>
}

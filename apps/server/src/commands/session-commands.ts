import { quotePrompt, toReadableLine, type AgentCatalog, type SessionId, type UserId } from '@polylogue/engine'
import type { CommandAnswer, CommandedSession, SessionCommand, SessionCommands } from '@polylogue/kit'
import { tellSkill, type McpPrompt, type Skill } from '@polylogue/tools'
import { WRITTEN_PROMPTS } from './written-prompts.ts'

export interface SessionCommandsDeps {
  readonly agents: Pick<AgentCatalog, 'find'>
  /** Those of the server and of the session. */
  skillsOf(sessionId: SessionId): readonly Skill[]
  promptsOf(session: Pick<CommandedSession, 'sessionId' | 'agent'>): readonly McpPrompt[]
  /** Restores the files that the last turn changed. Returns what became of it, for the user. */
  undo(userId: UserId, sessionId: SessionId): Promise<string>
}

interface Runnable extends SessionCommand {
  run(session: CommandedSession, rest: string, signal: AbortSignal): Promise<CommandAnswer>
}

const UNDO: SessionCommand = {
  name: 'undo',
  description: 'Restore the files that the last turn changed with Edit and Write',
}

/** Commands that are prompts, `/undo`, the skills of the session, and the prompts of its MCP servers. */
export function createSessionCommands(deps: SessionCommandsDeps): SessionCommands {
  const written = WRITTEN_PROMPTS.map(({ prompt, ...command }): Runnable => ({
    ...command,
    run: async (_session, rest) => toPrompt(prompt, rest),
  }))
  const undo: Runnable = {
    ...UNDO,
    run: async ({ userId, sessionId }) => ({ type: 'said', text: await deps.undo(userId, sessionId) }),
  }

  /** The first of a name counts: neither a skill nor a server can replace a command of ours. */
  function commandsOf(session: CommandedSession): ReadonlyMap<string, Runnable> {
    const hasSkills = deps.agents.find(session.agent)?.tools.some(({ nature }) => nature === 'skill') === true
    const all = [
      ...written,
      undo,
      ...(hasSkills ? deps.skillsOf(session.sessionId).map(ofSkill) : []),
      ...deps.promptsOf(session).map(ofPrompt),
    ]
    const byName = new Map<string, Runnable>()
    for (const command of all) if (!byName.has(command.name)) byName.set(command.name, command)
    return byName
  }

  return {
    list: (session) =>
      [...commandsOf(session).values()].map(({ name, description, hint }) => ({
        name,
        description: toReadableLine(description),
        ...(hint !== undefined && { hint: toReadableLine(hint) }),
      })),
    run: async (session, { name, rest }, signal) => commandsOf(session).get(name)?.run(session, rest, signal),
  }
}

const ofSkill = (skill: Skill): Runnable => ({
  name: skill.name,
  description: oneLine(skill.description),
  hint: 'what to do',
  run: async (_session, rest) => toPrompt(`Follow the skill ${skill.name}:\n\n${tellSkill(skill)}`, rest),
})

function ofPrompt(prompt: McpPrompt): Runnable {
  const { name, description, arguments: wanted } = prompt
  return {
    name,
    description: oneLine(description),
    ...(wanted.length > 0 && { hint: wanted.join(' ') }),
    async run(_session, rest, signal) {
      try {
        return { type: 'prompt', text: quotePrompt(prompt.server, await prompt.write(rest, signal)) }
      } catch (error) {
        return { type: 'said', text: error instanceof Error ? error.message : String(error) }
      }
    },
  }
}

const toPrompt = (prompt: string, rest: string): CommandAnswer => ({
  type: 'prompt',
  text: rest === '' ? prompt : `${prompt}\n\n${rest}`,
})

/** A menu shows it. */
const LONGEST_DESCRIPTION = 200

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= LONGEST_DESCRIPTION ? line : `${line.slice(0, LONGEST_DESCRIPTION - 1).toWellFormed()}…`
}

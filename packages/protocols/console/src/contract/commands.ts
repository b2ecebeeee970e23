import { z } from 'zod'
import { defineOperations, type Sent } from './operation.ts'

export const sessionCommand = z
  .object({
    /** Without the slash. */
    name: z.string(),
    description: z.string(),
    /** What can follow the name. Absent: nothing. */
    hint: z.string().optional(),
  })
  .meta({ id: 'ConsoleCommand' })
export type SessionCommand = Sent<z.infer<typeof sessionCommand>>

const tag = 'sessions'

/** What users type after a slash. */
export const commandOperations = defineOperations({
  listCommands: {
    method: 'GET',
    path: '/sessions/{id}/commands',
    tag,
    summary:
      'List the slash commands of a session: /init, /review, /undo, its skills and the prompts of its MCP servers.',
    status: 200,
    answer: z.object({ commands: z.array(sessionCommand) }),
  },
  runCommand: {
    method: 'POST',
    path: '/sessions/{id}/commands',
    tag,
    summary: 'Run a slash command. An answer of type prompt is the text to send to the model as the next message.',
    status: 200,
    body: z.strictObject({
      name: z.string().min(1).max(200),
      /** The text after the name. */
      rest: z.string().max(100_000).default(''),
    }),
    answer: z.object({ type: z.enum(['prompt', 'said']), text: z.string() }),
    refusals: { 404: 'no such session or command' },
  },
})

import { z } from 'zod'
import type { Stored } from '../stored-schema.ts'

/**
 * What a tool is for. Doors show a call by the kind of its tool, never by the tool's name. Four kinds get special
 * treatment: the input of a `plan` is the agent's list of steps, a `question` is answered by the user, an `agent` starts
 * a sub-agent, and the input of a `result` is the value that the turn's `outputSchema` asks for.
 */
export const toolKind = z.enum([
  'plan',
  'question',
  'agent',
  'result',
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch-mode',
  'other',
])

export type ToolKind = Stored<typeof toolKind>

/** The built-in tools. An agent has those that it names; the built-in agents have all of them. */
export const BUILT_IN_TOOLS = [
  'Read',
  'Write',
  'Edit',
  'Glob',
  'Grep',
  'Bash',
  'Background',
  'Diagnostics',
  'WebFetch',
  'AskUserQuestion',
  'Agent',
  'TodoWrite',
  'Remember',
  'Skill',
  'Schedule',
] as const

export type BuiltInToolName = (typeof BUILT_IN_TOOLS)[number]

const names: ReadonlySet<string> = new Set(BUILT_IN_TOOLS)

export const isBuiltInTool = (name: string): name is BuiltInToolName => names.has(name)

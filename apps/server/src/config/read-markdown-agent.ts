// An agent in Markdown: YAML front matter between two lines `---`, then the instructions.
import { basename } from 'node:path'
import { oneLine, parseWith } from '@polylogue/tools'
import { type AgentSettings, agentName, frontMatterSchema } from './agent-schema.ts'
import { ConfigError } from './config-error.ts'

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n(?<yaml>.*?)(?<=\n)---[ \t]*(?:\r?\n(?<body>.*))?$/s

/** `label` is the file name for messages. */
export async function readMarkdownAgent(label: string, text: string): Promise<AgentSettings> {
  const name = parseWith(agentName, basename(label, '.md'))
  if (!name.ok) throw new ConfigError(`${label}: the file name is the agent's name and ${name.problem}`)
  const found = FRONT_MATTER.exec(text)?.groups
  if (!found) throw new ConfigError(`${label}: must begin with front matter between two lines ---`)
  const instructions = (found['body'] ?? '').trim()
  if (instructions === '') throw new ConfigError(`${label}: must have instructions after the front matter`)
  const settings = parseWith(frontMatterSchema, await parseYaml(label, found['yaml'] ?? ''))
  if (!settings.ok) throw new ConfigError(`${label}: ${settings.problem}`)
  return { ...settings.value, name: name.value, instructions }
}

async function parseYaml(label: string, text: string): Promise<unknown> {
  // Loaded only when there is such an agent.
  const { LineCounter, YAMLParseError, parse } = await import('yaml')
  const lines = new LineCounter()
  try {
    return parse(text, { prettyErrors: false, lineCounter: lines, logLevel: 'error' }) as unknown
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // The front matter begins on the second line of the file.
    const line = error instanceof YAMLParseError ? ` (line ${lines.linePos(error.pos[0]).line + 1})` : ''
    throw new ConfigError(`${label}: front matter: ${oneLine(error.message)}${line}`, { cause: error })
  }
}

import type { Tool, ToolOutput } from '@polylogue/engine'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import type { Skill } from './load-skills.ts'

/** The model gets the list with every step. */
const LONGEST_LIST = 8_000
const LONGEST_ENTRY = 400

const input = z.object({ name: z.string().min(1).max(200).describe('The name of the skill, as it is listed') })

export interface SkillToolOptions {
  readonly skills: readonly Skill[]
}

/** Returns the text of a skill. The file tools read its other files. */
export function createSkillTool({ skills }: SkillToolOptions): Tool {
  const byName = new Map(skills.map((skill) => [skill.name, skill]))
  return defineTool({
    name: 'Skill',
    title: 'Load a skill',
    description: describeSkills(skills),
    input,
    effect: 'readonly',
    kind: 'other',
    nature: 'skill',
    inspect: async ({ name }) => ({ facts: { type: 'skill' }, preview: { title: `Skill: ${name.slice(0, 80)}` } }),
    run({ input: { name } }): ToolOutput {
      const skill = byName.get(name)
      if (skill) return { content: tellSkill(skill) }
      const known = skills.length === 0 ? 'there are none here' : `there are ${listNames(skills)}`
      return { content: `No skill is named ${JSON.stringify(name)}; ${known}.`, isError: true }
    },
  })
}

function describeSkills(skills: readonly Skill[]): string {
  if (skills.length === 0) return 'Loads instructions for a special task by name. There are none on this server.'
  const entries: string[] = []
  let length = 0
  for (const { name, description } of skills) {
    const entry = `- ${name}: ${shorten(description.replace(/\s+/g, ' '), LONGEST_ENTRY)}`
    if (length + entry.length > LONGEST_LIST) break
    length += entry.length
    entries.push(entry)
  }
  const left = skills.slice(entries.length)
  const more = left.length === 0 ? '' : `\nAnd, without their descriptions: ${listNames(left)}.`
  return (
    'Loads instructions for a special task. When a task fits the description of a skill, load it before you begin, ' +
    `and follow it.\n${entries.join('\n')}${more}`
  )
}

/** What a model reads of a skill. */
export function tellSkill({ body, directory, files, hasMoreFiles }: Skill): string {
  if (files.length === 0) return body
  const more = hasMoreFiles ? '\n- and more' : ''
  return `${body}\n\nFiles of this skill, in ${directory}:\n${files.map((file) => `- ${file}`).join('\n')}${more}`
}

const listNames = (skills: readonly Skill[]): string => shorten(skills.map(({ name }) => name).join(', '), LONGEST_LIST)

const shorten = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`

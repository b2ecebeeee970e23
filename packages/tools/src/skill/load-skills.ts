/**
 * A skill is a folder with a file `SKILL.md`: YAML front matter with `name` and `description` between two lines `---`,
 * then the text for the agent. The folder may contain other files. Other fields of the front matter are ignored.
 */
import { readFile, readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { oneLine, parseWith } from '../parse-with.ts'
import { listSkillFiles, type SkillFiles } from './list-skill-files.ts'

export interface Skill extends SkillFiles {
  readonly name: string
  readonly description: string
  /** The text after the front matter. */
  readonly body: string
  /** Absolute. */
  readonly directory: string
}

/** A skill cannot be used. `message` is one line that names the file. */
export class SkillError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(oneLine(message), options)
    this.name = 'SkillError'
  }
}

const LARGEST_FILE = 128 * 1024
const MOST_SKILLS = 200

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n(?<yaml>.*?)(?<=\n)---[ \t]*(?:\r?\n(?<body>.*))?$/s

const frontMatter = z.looseObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 letters, digits, ".", "_" or "-"'),
  description: z.string().trim().min(1).max(1_024),
})

/** The skills in these directories, by name. Throws `SkillError` if one is invalid or two have the same name. */
export async function loadSkills(directories: readonly string[]): Promise<readonly Skill[]> {
  const skills: Skill[] = []
  for (const directory of directories) {
    for (const folder of await foldersIn(resolve(directory))) {
      const skill = await loadSkill(folder)
      if (skill === undefined) continue
      const twin = skills.find(({ name }) => name === skill.name)
      if (twin) throw new SkillError(`${join(folder, 'SKILL.md')}: name: ${twin.directory} is named ${skill.name} too`)
      if (skills.length === MOST_SKILLS) throw new SkillError(`${directory}: more than ${MOST_SKILLS} skills`)
      skills.push(skill)
    }
  }
  return skills.sort((a, b) => compare(a.name, b.name))
}

async function foldersIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory))
      .filter((name) => !name.startsWith('.'))
      .sort()
      .map((name) => join(directory, name))
  } catch (error) {
    throw new SkillError(`${directory}: ${describe(error)}`, { cause: error })
  }
}

/** The skill in this folder. `undefined` if it is not a folder or has no `SKILL.md`. Throws `SkillError`. */
export async function loadSkill(directory: string): Promise<Skill | undefined> {
  const file = join(directory, 'SKILL.md')
  const text = await readText(file)
  if (text === undefined) return undefined
  const found = FRONT_MATTER.exec(text)?.groups
  if (!found) throw new SkillError(`${file}: must begin with front matter between two lines ---`)
  const parsed = parseWith(frontMatter, await parseYaml(file, found['yaml'] ?? ''))
  if (!parsed.ok) throw new SkillError(`${file}: ${parsed.problem}`)
  const body = (found['body'] ?? '').trim()
  if (body === '') throw new SkillError(`${file}: says nothing after the front matter`)
  const { name, description } = parsed.value
  return { name, description, body, directory, ...(await listSkillFiles(directory)) }
}

async function readText(file: string): Promise<string | undefined> {
  try {
    const found = await stat(file)
    if (!found.isFile()) throw new SkillError(`${file}: must be a regular file`)
    if (found.size > LARGEST_FILE) throw new SkillError(`${file}: larger than ${LARGEST_FILE} bytes`)
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof SkillError) throw error
    if (isFileError(error, 'ENOENT') || isFileError(error, 'ENOTDIR')) return undefined
    throw new SkillError(`${file}: ${describe(error)}`, { cause: error })
  }
}

async function parseYaml(file: string, text: string): Promise<unknown> {
  // Loaded only if there are skills.
  const { parse } = await import('yaml')
  try {
    return parse(text, { prettyErrors: false, logLevel: 'error', maxAliasCount: 0 }) as unknown
  } catch (error) {
    throw new SkillError(`${file}: front matter: ${describe(error)}`, { cause: error })
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

const isFileError = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

function describe(error: unknown): string {
  if (isFileError(error, 'ENOENT')) return 'there is no such directory'
  return oneLine(error instanceof Error ? error.message : String(error))
}

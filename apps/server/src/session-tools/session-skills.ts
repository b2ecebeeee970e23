// Skills that belong to one session, below the data directory or the directory of `--workspaces`:
//   <folder>/<session>/skills.json     what the tool says of them, read when the session first needs it
//   <folder>/<session>/<skill>/…       their files, `SKILL.md` among them; the `/` of a name is written `+`
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { LogEntry, SessionId, Tool } from '@polylogue/engine'
import { SkillError, createSkillTool, loadSkill, type Skill } from '@polylogue/tools'
import { z } from 'zod'
import { replaceBy } from '../platform/host.ts'
import { writePrivateFile } from '../platform/private-file.ts'
import { checkNewSkill, type NewSkill } from './new-skill.ts'

export interface AddedSkill {
  readonly skill: Skill
  /** There was one of this name, which it takes the place of. */
  readonly isReplaced: boolean
}

export interface SessionSkills {
  /** Rejects with a `SkillError` that names the field or the file. */
  add(sessionId: SessionId, skill: NewSkill): Promise<AddedSkill>
  list(sessionId: SessionId): readonly Skill[]
  /** Those of the server and of the session. */
  all(sessionId: SessionId): readonly Skill[]
  /** `Skill` with those of the server and of the session; nothing for a session that has none of its own. */
  tool(sessionId: SessionId): Tool | undefined
  forget(sessionId: SessionId): Promise<void>
}

export interface SessionSkillsDeps {
  /** Absolute. */
  readonly folder: string
  /** Other processes add skills there too. */
  readonly isShared?: boolean
  /** Of the server. One of a session takes the place of one with its name. */
  readonly skills: readonly Skill[]
  readonly log: (entry: LogEntry) => void
}

const MOST_SKILLS = 50
/** Of sessions, in memory; others are read again when they are needed. */
const MOST_KNOWN = 200

const skillList = z.array(
  z.object({
    name: z.string(),
    description: z.string(),
    body: z.string(),
    directory: z.string(),
    files: z.array(z.string()),
    hasMoreFiles: z.boolean(),
  }),
)

interface Known {
  /** Which version of the list it is, if the folder is shared. */
  readonly version?: string | undefined
  readonly skills: readonly Skill[]
  readonly all: readonly Skill[]
  readonly tool: Tool
}

export function createSessionSkills({
  folder,
  isShared = false,
  skills: common,
  log,
}: SessionSkillsDeps): SessionSkills {
  const having = new Set(existsSync(folder) ? readdirSync(folder) : [])
  const known = new Map<string, Known>()
  let adding: Promise<unknown> = Promise.resolve()

  function folderOf(sessionId: SessionId): string {
    if (!/^[\w-]{1,64}$/.test(sessionId)) throw new Error('a session id is no path')
    return join(folder, sessionId)
  }

  function find(sessionId: SessionId): Known | undefined {
    if (!isShared && !having.has(sessionId)) return undefined
    const version = versionOf(sessionId)
    if (isShared && version === undefined) return undefined
    const before = known.get(sessionId)
    return before && before.version === version ? before : know(sessionId, readList(sessionId), version)
  }

  /** Every change replaces the file of the list. */
  function versionOf(sessionId: SessionId): string | undefined {
    if (!isShared) return undefined
    const stat = statSync(listOf(sessionId), { throwIfNoEntry: false })
    return stat && `${stat.ino} ${stat.mtimeMs} ${stat.size}`
  }

  const listOf = (sessionId: SessionId): string => join(folderOf(sessionId), 'skills.json')

  function know(sessionId: SessionId, skills: readonly Skill[], version: string | undefined): Known {
    const names = new Set(skills.map(({ name }) => name))
    const all = [...common.filter(({ name }) => !names.has(name)), ...skills]
    const entry = { version, skills, all, tool: createSkillTool({ skills: all }) }
    known.set(sessionId, entry)
    const [oldest] = known.keys()
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest)
    return entry
  }

  function readList(sessionId: SessionId): readonly Skill[] {
    try {
      return skillList.parse(JSON.parse(readFileSync(listOf(sessionId), 'utf8')))
    } catch (error) {
      log({ level: 'warn', message: 'the skills of a session cannot be read', sessionId, error })
      return []
    }
  }

  async function add(sessionId: SessionId, given: NewSkill): Promise<AddedSkill> {
    const { name, files } = checkNewSkill(given)
    const skills = find(sessionId)?.skills ?? []
    const others = skills.filter((skill) => skill.name !== name)
    if (others.length === MOST_SKILLS) throw new SkillError(`more than ${MOST_SKILLS} skills in this session`)
    await mkdir(folderOf(sessionId), { recursive: true, mode: 0o700 })
    const draft = await mkdtemp(join(folderOf(sessionId), '.new-'))
    const directory = join(folderOf(sessionId), name.replace('/', '+'))
    try {
      for (const { path, content } of files) await writeBelow(draft, path, content)
      await readWritten(draft)
      await rm(directory, { recursive: true, force: true })
      replaceBy(draft, directory)
    } catch (error) {
      await rm(draft, { recursive: true, force: true })
      throw error
    }
    const skill = { ...(await readWritten(directory)), name }
    const all = [...others, skill].sort((a, b) => (a.name < b.name ? -1 : 1))
    writePrivateFile(listOf(sessionId), JSON.stringify(all))
    having.add(sessionId)
    know(sessionId, all, versionOf(sessionId))
    return { skill, isReplaced: others.length < skills.length }
  }

  return {
    add(sessionId, skill) {
      // One after the other: two of one session would write the same list.
      const run = adding.then(() => add(sessionId, skill))
      adding = run.catch(() => undefined)
      return run
    },
    list: (sessionId) => find(sessionId)?.skills ?? [],
    all: (sessionId) => find(sessionId)?.all ?? common,
    tool: (sessionId) => find(sessionId)?.tool,
    async forget(sessionId) {
      having.delete(sessionId)
      known.delete(sessionId)
      await rm(folderOf(sessionId), { recursive: true, force: true })
    },
  }
}

async function writeBelow(directory: string, path: string, content: string): Promise<void> {
  const file = join(directory, path)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, content, { mode: 0o600, flag: 'wx' })
}

/** Where we keep it is nobody's business. */
async function readWritten(directory: string): Promise<Skill> {
  try {
    const skill = await loadSkill(directory)
    if (skill === undefined) throw new SkillError('SKILL.md is missing')
    return skill
  } catch (error) {
    if (!(error instanceof SkillError)) throw error
    throw new SkillError(error.message.replaceAll(`${directory}/`, ''), { cause: error })
  }
}

import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asSessionId, textOf, type LogEntry } from '@polylogue/engine'
import { createInvocation } from '@polylogue/testkit'
import type { Skill } from '@polylogue/tools'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSessionSkills, type SessionSkills } from './session-skills.ts'

const session = asSessionId('one')
const other = asSessionId('two')
const common: Skill = {
  name: 'release',
  description: 'How to release',
  body: 'Tag it.',
  directory: '/srv/skills/release',
  files: [],
  hasMoreFiles: false,
}
const text = (description: string, body: string) => `---\nname: any\ndescription: ${description}\n---\n${body}\n`
const REVIEW = {
  name: 'acme/review',
  files: [
    { path: 'SKILL.md', content: text('How to review', 'Read it twice.') },
    { path: 'notes/list.md', content: 'one' },
  ],
}

let folder: string
let skills: SessionSkills
const logged: LogEntry[] = []
const create = () => createSessionSkills({ folder, skills: [common], log: (entry) => void logged.push(entry) })

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'polylogue-skills-')), 'skills')
  logged.length = 0
  skills = create()
})
afterEach(() => rm(join(folder, '..'), { recursive: true }))

const load = async (name: string, id = session): Promise<string> => {
  const tool = skills.tool(id)
  if (tool === undefined) throw new Error('the session has no tool of its own')
  return textOf((await tool.run(createInvocation(tool, { name }))).content)
}

describe('a skill of a session', () => {
  it('is offered beside those of the server, loaded with its files, and in no other session', async () => {
    expect(skills.tool(session)).toBeUndefined()
    const { skill, isReplaced } = await skills.add(session, REVIEW)
    expect([skill.name, skill.directory, isReplaced]).toEqual([
      'acme/review',
      join(folder, 'one', 'acme+review'),
      false,
    ])
    const { description } = skills.tool(session) ?? { description: '' }
    expect(description).toContain('- release: How to release\n- acme/review: How to review')
    expect(await load('acme/review')).toBe(
      `Read it twice.\n\nFiles of this skill, in ${skill.directory}:\n- ${join(skill.directory, 'notes/list.md')}`,
    )
    expect(await load('release')).toBe('Tag it.')
    expect(skills.tool(other)).toBeUndefined()
    expect(skills.list(other)).toEqual([])
  })

  it('is there after a restart', async () => {
    await skills.add(session, REVIEW)
    const before = skills.list(session)
    skills = create()
    expect(skills.list(session)).toEqual(before)
    expect(await load('acme/review')).toContain('Read it twice.')
    expect(skills.tool(session)).toBe(skills.tool(session))
  })

  it('is replaced by one of its name, and takes the place of one of the server', async () => {
    await skills.add(session, REVIEW)
    const shorter = { name: 'acme/review', files: [{ path: 'SKILL.md', content: text('Anew', 'Read it once.') }] }
    expect(await skills.add(session, shorter)).toMatchObject({ isReplaced: true, skill: { files: [] } })
    expect(await load('acme/review')).toBe('Read it once.')
    await skills.add(session, { name: 'release', files: [{ path: 'SKILL.md', content: text('Ours', 'Ask first.') }] })
    expect(await load('release')).toBe('Ask first.')
    expect(skills.list(session).map(({ name }) => name)).toEqual(['acme/review', 'release'])
  })

  it('comes whole, also when several come at once', async () => {
    const many = Array.from({ length: 8 }, (_, index) => ({ ...REVIEW, name: `acme/review-${index}` }))
    await Promise.all(many.map((skill) => skills.add(session, skill)))
    skills = create()
    expect(skills.list(session)).toHaveLength(8)
  })

  it('goes with its session', async () => {
    await skills.add(session, REVIEW)
    await skills.forget(session)
    expect([skills.list(session), existsSync(join(folder, 'one'))]).toEqual([[], false])
  })

  it.each([
    [{ ...REVIEW, name: 'Acme/../x' }, /^name: must be "name" or "organisation\/name"/],
    [{ ...REVIEW, files: [{ path: 'notes.md', content: 'x' }] }, /^SKILL\.md is missing$/],
    [
      { ...REVIEW, files: [...REVIEW.files, { path: '../out.md', content: 'x' }] },
      /^files\[2\]\.path: must be a relative/,
    ],
    [
      { ...REVIEW, files: [...REVIEW.files, { path: '/etc/out', content: 'x' }] },
      /^files\[2\]\.path: must be a relative/,
    ],
    [{ ...REVIEW, files: [...REVIEW.files, { path: 'SKILL.md', content: 'x' }] }, /^files: has a path twice$/],
    [
      { ...REVIEW, files: [{ path: 'SKILL.md', content: 'no front matter' }] },
      /^SKILL\.md: must begin with front matter/,
    ],
    [{ ...REVIEW, files: [{ path: 'SKILL.md', content: 'x'.repeat(5_000_000) }] }, /^files: must not have more than/],
  ])('is refused with a sentence when it is wrong (%#)', async (skill, problem) => {
    await skills.add(session, { ...REVIEW, name: 'acme/before' })
    await expect(skills.add(session, skill)).rejects.toThrow(problem)
    expect(skills.list(session).map(({ name }) => name)).toEqual(['acme/before'])
    expect(existsSync(join(folder, 'out.md'))).toBe(false)
  })

  it('that has become unreadable is reported, and costs no turn', async () => {
    await skills.add(session, REVIEW)
    await writeFile(join(folder, 'one', 'skills.json'), '[{"name": 1}]')
    skills = create()
    expect(skills.list(session)).toEqual([])
    expect(await load('release')).toBe('Tag it.')
    expect(logged).toMatchObject([{ level: 'warn', sessionId: session }])
    await skills.add(session, REVIEW)
    expect(await readFile(join(folder, 'one', 'acme+review', 'notes/list.md'), 'utf8')).toBe('one')
  })
})

it('that another node adds in a shared folder is seen here, and its newer version too', async () => {
  const options = { folder, isShared: true, skills: [common], log: (entry: LogEntry) => void logged.push(entry) }
  const [here, there] = [createSessionSkills(options), createSessionSkills(options)]
  expect(there.list(session)).toEqual([])
  await here.add(session, REVIEW)
  expect(there.list(session).map(({ description }) => description)).toEqual(['How to review'])
  const newer = { ...REVIEW, files: [{ path: 'SKILL.md', content: text('How to review well', 'Read it thrice.') }] }
  expect((await there.add(session, newer)).isReplaced).toBe(true)
  expect(here.list(session).map(({ description }) => description)).toEqual(['How to review well'])
  await there.forget(session)
  expect(here.tool(session)).toBeUndefined()
  expect(logged).toEqual([])
})

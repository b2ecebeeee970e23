import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInvocation } from '@polylogue/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadSkills, type Skill } from './load-skills.ts'
import { createSkillTool } from './skill-tool.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'skills-'))
})
afterEach(() => rm(dir, { recursive: true }))

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true })
  await writeFile(join(dir, path), text)
}

const skillText = (name: string, body = 'Do it well.'): string =>
  `---\nname: ${name}\ndescription: How to do ${name}\n---\n\n${body}\n`

describe('loadSkills', () => {
  it('reads every folder that has a SKILL.md, by name', async () => {
    await write(
      'b/SKILL.md',
      '\uFEFF---\r\nname: review\r\ndescription: >\r\n  Reads\r\n  code\r\nlicense: MIT\r\n---\r\nLook.\r\n',
    )
    await write('a/SKILL.md', skillText('write', '# Write\n\nIn short sentences.'))
    await write('a/scripts/run.sh', 'true')
    await write('a/notes.md', 'x')
    await write('a/.hidden', 'x')
    await write('empty/README.md', 'no skill')
    await write('.git/SKILL.md', 'no skill')
    await write('file.md', 'no skill')
    await symlink('/etc/passwd', join(dir, 'a', 'passwd'))
    expect(await loadSkills([dir])).toEqual([
      {
        name: 'review',
        description: 'Reads code',
        body: 'Look.',
        directory: join(dir, 'b'),
        files: [],
        hasMoreFiles: false,
      },
      {
        name: 'write',
        description: 'How to do write',
        body: '# Write\n\nIn short sentences.',
        directory: join(dir, 'a'),
        files: [join(dir, 'a', 'notes.md'), join(dir, 'a', 'scripts', 'run.sh')],
        hasMoreFiles: false,
      },
    ])
  })

  it('names at most 100 files', async () => {
    await write('a/SKILL.md', skillText('a'))
    await Promise.all(Array.from({ length: 120 }, (_, index) => write(`a/${index}.txt`, '')))
    const [skill] = await loadSkills([dir])
    expect([skill?.files.length, skill?.hasMoreFiles]).toEqual([100, true])
  })

  it.each([
    ['no front matter', /x\/SKILL\.md: must begin with front matter/],
    ['---\nname: x\n---\nbody', /x\/SKILL\.md: description: is missing/],
    ['---\nname: a b\ndescription: c\n---\nbody', /x\/SKILL\.md: name: must be 1 to 64 letters/],
    ['---\nname: [\ndescription: c\n---\nbody', /x\/SKILL\.md: front matter: /],
    ['---\nname: x\ndescription: c\n---\n \n', /x\/SKILL\.md: says nothing/],
    [skillText('x', 'y'.repeat(200_000)), /x\/SKILL\.md: larger than 131072 bytes/],
    [skillText('taken'), /x\/SKILL\.md: name: .*first is named taken too/],
  ])('says in one line what is wrong, case %#', async (text, sentence) => {
    await write('first/SKILL.md', skillText('taken'))
    await write('x/SKILL.md', text)
    const problem = loadSkills([dir])
    await expect(problem).rejects.toThrow(sentence)
    await expect(problem).rejects.toMatchObject({ name: 'SkillError', message: expect.not.stringContaining('\n') })
  })

  it('says when a directory is not there', async () => {
    await expect(loadSkills([join(dir, 'none')])).rejects.toThrow(`${join(dir, 'none')}: there is no such directory`)
  })
})

describe('Skill', () => {
  const skill = (name: string, more: Partial<Skill> = {}): Skill => ({
    name,
    description: `How to do ${name}`,
    body: `Do ${name}.`,
    directory: `/skills/${name}`,
    files: [],
    hasMoreFiles: false,
    ...more,
  })
  const ask = (skills: readonly Skill[], name: string) => {
    const tool = createSkillTool({ skills })
    return tool.run(createInvocation(tool, { name }))
  }

  it('lists the skills in its description, within bounds', () => {
    expect(createSkillTool({ skills: [skill('a'), skill('b')] }).description).toContain(
      '\n- a: How to do a\n- b: How to do b',
    )
    const many = Array.from({ length: 200 }, (_, index) => skill(`skill-${index}`, { description: 'x'.repeat(1_000) }))
    const { description } = createSkillTool({ skills: many })
    expect(description.length).toBeLessThan(12_000)
    expect(description).toContain('skill-199')
    expect(createSkillTool({ skills: [] }).description).toContain('none on this server')
  })

  it('gives what a skill says and where its files are', async () => {
    const files = ['/skills/a/run.sh', '/skills/a/x.md']
    expect(await ask([skill('a', { files, hasMoreFiles: true })], 'a')).toEqual({
      content: 'Do a.\n\nFiles of this skill, in /skills/a:\n- /skills/a/run.sh\n- /skills/a/x.md\n- and more',
    })
    expect(await ask([skill('a')], 'a')).toEqual({ content: 'Do a.' })
  })

  it('says which skills there are when it is asked for another', async () => {
    const content = 'No skill is named "constructor"; there are a, b.'
    expect(await ask([skill('a'), skill('b')], 'constructor')).toEqual({ content, isError: true })
    expect(await ask([], 'x')).toEqual({ content: 'No skill is named "x"; there are none here.', isError: true })
  })

  it('changes nothing, and is judged as a skill', async () => {
    const tool = createSkillTool({ skills: [skill('a')] })
    expect([tool.effect, tool.kind, tool.nature]).toEqual(['readonly', 'other', 'skill'])
    expect(await tool.inspect?.({ name: 'a' }, { cwd: '/', roots: [] })).toEqual({
      facts: { type: 'skill' },
      preview: { title: 'Skill: a' },
    })
  })
})

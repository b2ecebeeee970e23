import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigError } from './config-error.ts'
import { loadConfig } from './load-config.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'polylogue-config-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), text)
  }
}

async function refusalOf(files: Readonly<Record<string, string>>, file?: string): Promise<string> {
  await write(files)
  const error: unknown = await loadConfig({ directory, file }).then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof ConfigError)) throw error
  return error.message
}

const json = (config: unknown): string => JSON.stringify(config)
const agent = { name: 'writer', instructions: 'Write.', model: 'demo' }
const markdown = '---\nmodel: scripted\n---\nBe kind.\n'

describe('without a configuration', () => {
  it('everything has its default', async () => {
    expect(await loadConfig({ directory })).toMatchObject({ agents: [], recovery: 'continue', allowOrigins: [] })
  })

  it('agents in Markdown are found in the start directory', async () => {
    await write({ 'agents/b.md': markdown, 'agents/a.md': markdown, 'agents/notes.txt': 'no agent' })
    const { agents, file } = await loadConfig({ directory })
    expect(file).toBeUndefined()
    expect(agents.map(({ name, origin }) => [name, origin])).toEqual([
      ['a', 'agents/a.md'],
      ['b', 'agents/b.md'],
    ])
  })
})

describe('skills', () => {
  const skill = (name: string): string => `---\nname: ${name}\ndescription: About ${name}\n---\nDo ${name}.\n`

  it('are those of the folder beside the configuration', async () => {
    expect(await loadConfig({ directory })).toMatchObject({ skills: [], skillDirectories: [] })
    await write({ 'skills/b/SKILL.md': skill('b'), 'skills/a/SKILL.md': skill('a') })
    const { skills, skillDirectories } = await loadConfig({ directory })
    expect(skills.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(skillDirectories).toEqual([join(directory, 'skills')])
  })

  it('are those of the folders that are named, which must be there', async () => {
    await write({ 'skills/a/SKILL.md': skill('a'), 'mine/b/SKILL.md': skill('b') })
    await write({ 'polylogue.config.json': json({ skills: ['mine'] }) })
    expect((await loadConfig({ directory })).skills).toMatchObject([{ name: 'b' }])
    const missing = join(directory, 'none')
    expect(await refusalOf({ 'polylogue.config.json': json({ skills: ['none'] }) })).toBe(
      `${missing}: there is no such directory`,
    )
  })

  it('are refused with the name of their file', async () => {
    const file = join(directory, 'skills/a/SKILL.md')
    expect(await refusalOf({ 'skills/a/SKILL.md': 'Do it.' })).toBe(
      `${file}: must begin with front matter between two lines ---`,
    )
  })
})

describe('a configuration in JSON', () => {
  it('is found in the start directory', async () => {
    await write({
      'polylogue.config.json': json({ agents: [agent], recovery: 'interrupt', publicUrl: 'https://a.example' }),
    })
    expect(await loadConfig({ directory })).toMatchObject({
      file: 'polylogue.config.json',
      agents: [{ name: 'writer', model: 'demo', origin: 'polylogue.config.json' }],
      recovery: 'interrupt',
      publicUrl: 'https://a.example',
    })
  })

  it('is taken from where --config says, with the agents beside it and not those of the start directory', async () => {
    await write({
      'polylogue.config.json': json({ recovery: 'interrupt' }),
      'agents/near.md': markdown,
      'other/mine.json': json({ agents: [agent] }),
      'other/agents/far.md': markdown,
    })
    const config = await loadConfig({ directory, file: 'other/mine.json' })
    expect(config.recovery).toBe('continue')
    expect(config.agents.map(({ origin }) => origin)).toEqual(['other/mine.json', 'other/agents/far.md'])
  })

  it('is refused with the file and the field', async () => {
    const options = [
      { type: 'secret', name: 'key' },
      { type: 'select', name: 's', choices: ['a', 'b'], default: 'c' },
    ]
    expect(await refusalOf({ 'polylogue.config.json': json({ agents: [{ ...agent, options }] }) })).toBe(
      'polylogue.config.json: agents[0].options[1].default: must be one of a, b',
    )
  })

  it.each([
    ['{\n  "agents": [,]\n}', 2, 14],
    ['', 1, 1],
    ['{"recovery": "interrupt"', 1, 25],
    ['{"recovery": "interrupt",\n}', 2, 1],
    ['{\n  "providers": {"openai": {"apiKey": skSECRETCANARY}}\n}', 2, 38],
    ['{"providers": {"openai": {"apiKey": \'skSECRETCANARY\'}}}', 1, 37],
    ['{"providers": {"openai": {"apiKey": "skSECRETCANARY\n"}}}', 1, 52],
  ])('C27: is refused when it is not JSON, with the position but not the text: %j', async (text, line, column) => {
    expect(await refusalOf({ 'polylogue.config.json': text })).toBe(
      `polylogue.config.json: line ${line}, column ${column}: this is not JSON`,
    )
  })

  it('is refused when it names an unknown tool', async () => {
    expect(await refusalOf({ 'polylogue.config.json': json({ agents: [{ ...agent, tools: ['look'] }] }) })).toBe(
      'polylogue.config.json: agents[0].tools[0]: no tool is named look; there are Read, Write, Edit, Glob, Grep, Bash, Background, Diagnostics, WebFetch, AskUserQuestion, Agent, TodoWrite, Remember, Skill, Schedule',
    )
  })

  it('is refused when it is not there', async () => {
    expect(await refusalOf({}, 'mine.json')).toBe('mine.json: there is no such file')
    expect(await refusalOf({}, 'mine.ts')).toBe('mine.ts: there is no such file')
  })

  it('is refused when a named one is a directory, the start directory too', async () => {
    expect(await refusalOf({}, '.')).toBe('.: must be a .ts, .mts, .js, .mjs or .json file')
    await mkdir(join(directory, 'mine.json'))
    expect(await refusalOf({}, 'mine.json')).toBe('mine.json: must be a regular file')
  })

  it('is refused when it is a pipe, which might never end', async () => {
    await promisify(execFile)('mkfifo', [join(directory, 'polylogue.config.json')])
    expect(await refusalOf({})).toBe('polylogue.config.json: must be a regular file')
  })

  it('is refused when its name has another ending', async () => {
    expect(await refusalOf({ 'mine.yaml': '' }, 'mine.yaml')).toBe(
      'mine.yaml: must be a .ts, .mts, .js, .mjs or .json file',
    )
  })

  it.each(['polylogue.config.ts', 'polylogue.config.json'])('is not a folder named %s', async (name) => {
    await mkdir(join(directory, name))
    expect((await loadConfig({ directory })).path).toBeUndefined()
    await writeFile(join(directory, 'polylogue.config.mjs'), 'export default {}')
    expect((await loadConfig({ directory })).path).toBe(join(directory, 'polylogue.config.mjs'))
  })

  it('is refused when there are two', async () => {
    expect(await refusalOf({ 'polylogue.config.json': '{}', 'polylogue.config.ts': '' })).toBe(
      'polylogue.config.ts and polylogue.config.json: only one of them may exist',
    )
  })

  it('is refused when it is larger than any configuration', async () => {
    expect(await refusalOf({ 'polylogue.config.json': ' '.repeat(1_048_577) })).toBe(
      'polylogue.config.json: larger than 1048576 bytes',
    )
  })
})

describe('an agent in Markdown', () => {
  it('has its settings from the front matter and its instructions from the body', async () => {
    await write({
      'agents/guide.md': [
        '---',
        'title: The guide',
        'version: 2.1.0',
        'description: Shows the way.',
        'model: demo',
        'options:',
        '  - { type: select, name: pace, choices: [slow, fast] }',
        'features: { images: [http] }',
        'maxSteps: 7',
        'subAgents: [helper]',
        'deadlineMs: 60000',
        'workspace: work',
        '---',
        '',
        '# Guide',
        '',
        '---',
        'Lead on.',
      ].join('\r\n'),
      'agents/helper.md': '---\n{}\n---\nHelp.',
    })
    expect((await loadConfig({ directory })).agents).toEqual([
      {
        name: 'guide',
        title: 'The guide',
        version: '2.1.0',
        description: 'Shows the way.',
        instructions: '# Guide\r\n\r\n---\r\nLead on.',
        model: 'demo',
        tools: [],
        options: [{ type: 'select', name: 'pace', choices: ['slow', 'fast'], default: 'slow' }],
        features: {
          histories: ['compacted', 'full'],
          streams: ['delta', 'message', 'none'],
          clientTools: true,
          images: ['http'],
        },
        maxSteps: 7,
        subAgents: ['helper'],
        deadlineMs: 60_000,
        workspace: join(directory, 'work'),
        origin: 'agents/guide.md',
      },
      expect.objectContaining({ name: 'helper', subAgents: [] }),
    ])
  })

  it.each<[string, string, string]>([
    ['without front matter', 'Be kind.', 'must begin with front matter between two lines ---'],
    ['with front matter that does not end', '---\nmodel: demo\n', 'must begin with front matter between two lines ---'],
    ['without instructions', '---\nmodel: demo\n---\n  \n', 'must have instructions after the front matter'],
    [
      'with a model of no provider',
      '---\nmodel: gpt\n---\nBe kind.',
      'model: must be provider/model, demo or scripted',
    ],
    ['with empty front matter', '---\n---\nBe kind.', 'must be an object'],
    ['with an unknown key', '---\nmodel: demo\nname: a\n---\nBe kind.', 'name: unknown key'],
    ['with a number for a version', '---\nmodel: demo\nversion: 1.0\n---\nBe kind.', 'version: must be a string'],
    [
      'with a tool that nobody has',
      '---\nmodel: demo\ntools: [look]\n---\nA',
      'tools[0]: no tool is named look; there are Read, Write, Edit, Glob, Grep, Bash, Background, Diagnostics, WebFetch, AskUserQuestion, Agent, TodoWrite, Remember, Skill, Schedule',
    ],
  ])('is refused %s', async (_, text, problem) => {
    expect(await refusalOf({ 'agents/a.md': text })).toBe(`agents/a.md: ${problem}`)
  })

  it('is refused with a sub-agent that does not exist', async () => {
    expect(await refusalOf({ 'agents/a.md': '---\nsubAgents: [b]\n---\nA' })).toBe(
      'agents/a.md: subAgents of a: no agent is named b',
    )
  })

  it('may name built-in tools', async () => {
    await write({ 'agents/a.md': '---\ntools: [Read, Bash]\n---\nA' })
    expect((await loadConfig({ directory })).agents).toMatchObject([{ tools: ['Read', 'Bash'] }])
  })

  it('is refused when its front matter is no YAML, with the line', async () => {
    expect(await refusalOf({ 'agents/a.md': '---\nmodel: demo\ntitle: "A\n---\nBe kind.' })).toMatch(
      /^agents\/a\.md: front matter: [^\n]+ \(line \d\)$/,
    )
  })

  it('is refused when its front matter repeats itself without end', async () => {
    const bomb = [
      'a: &a [x, x]',
      ...'bcdefgh'.split('').map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at]}, `.repeat(9)}x]`),
    ]
    expect(await refusalOf({ 'agents/a.md': `---\n${bomb.join('\n')}\n---\nBe kind.` })).toMatch(
      /^agents\/a\.md: front matter: Excessive alias count[^\n]*$/,
    )
  })

  it('is refused without a word from the library when its front matter has an unknown tag', async () => {
    const warnings: unknown[] = []
    const note = (warning: unknown): unknown => warnings.push(warning)
    process.on('warning', note)
    const text = '---\nmodel: !!js/function "function () {}"\n---\nBe kind.'
    expect(await refusalOf({ 'agents/a.md': text })).toMatch(/^agents\/a\.md: model: must be/)
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  it('is refused when its file name is no name for an agent', async () => {
    expect(await refusalOf({ 'agents/my agent.md': markdown })).toMatch(
      /^agents\/my agent\.md: the file name is the agent's name and must be 1 to 64 letters/,
    )
  })

  it('is refused when the configuration has an agent of that name', async () => {
    expect(await refusalOf({ 'polylogue.config.json': json({ agents: [agent] }), 'agents/writer.md': markdown })).toBe(
      'agents/writer.md: polylogue.config.json has an agent named writer too',
    )
  })
})

/** In a Node of its own: here the test runner would load the module, and resolve its imports, in its own way. */
async function loadInNode(file: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const program = `
    const { loadConfig } = await import(${json(new URL('./load-config.ts', import.meta.url).href)})
    const loaded = await loadConfig({ directory: process.argv[1], file: process.argv[2] }).catch((error) => error)
    if (loaded instanceof Error) console.log(loaded.name + ': ' + loaded.message)
    else for (const { name, tools } of loaded.agents)
      for (const tool of tools) {
        const check = tool.check({ word: 'Hi' })
        const output = check.ok ? (await tool.run({ input: check.input })).content : check.problem
        console.log(name, tool.name, tool.effect, JSON.stringify(tool.parameters.required), output)
      }
  `
  return promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, directory, file])
}

describe('a configuration that is a module', () => {
  const typescript = [
    "import { defineAgent, defineConfig, defineTool } from 'polylogue'",
    "import { z } from 'zod'",
    "import { instructions } from './instructions.ts'",
    'const input = z.object({ word: z.string() })',
    "const shout = defineTool({ name: 'shout', description: '', input, effect: 'idempotent', run: ({ input }) => input.word.toUpperCase() })",
    "const agent = defineAgent({ name: 'loud', instructions, model: 'demo', tools: ['shout'] })",
    'export default defineConfig({ agents: [agent], tools: [shout satisfies object] })',
  ].join('\n')

  it('may lie anywhere: it finds polylogue and zod in the server, and Node has nothing to warn about', async () => {
    await write({
      'package.json': '{}',
      'polylogue.config.ts': typescript,
      'instructions.ts': "export const instructions: string = 'Shout.'",
      'agents/quiet.md': '---\nmodel: demo\ntools: [shout]\n---\nWhisper.',
    })
    expect(await loadInNode('polylogue.config.ts')).toEqual({
      stdout: 'loud shout idempotent ["word"] HI\nquiet shout idempotent ["word"] HI\n',
      stderr: '',
    })
  })

  it('may be JavaScript, and may wait', async () => {
    await write({
      'package.json': '{ "type": "module" }',
      'mine.js':
        "import { defineTool, z } from 'polylogue'\nconst later = await Promise.resolve('later')\nexport default { agents: [{ name: later, instructions: '', model: 'demo', tools: [defineTool({ name: 'go', description: '', input: z.object({ word: z.literal('Ho') }), effect: 'unsafe', run: () => 1 })] }] }",
    })
    expect(await loadInNode('mine.js')).toEqual({
      stdout: 'later go unsafe ["word"] word: must be one of Ho\n',
      stderr: '',
    })
  })

  it.each(['polylogue.config.ts', 'polylogue.config.mts', 'polylogue.config.js', 'polylogue.config.mjs'])(
    'loads as %s beside a package.json of the type commonjs, which npm writes',
    async (file) => {
      const ending = file.endsWith('ts') ? 'ts' : 'js'
      await write({
        'package.json': '{"type": "commonjs"}',
        [`names.${ending}`]: "export const name = 'later'\n",
        [file]: `import { defineTool, z } from 'polylogue'\nimport { name } from './names.${ending}'\nexport default { agents: [{ name, instructions: '', model: 'demo', tools: [defineTool({ name: 'go', description: '', input: z.object({ word: z.literal('Ho') }), effect: 'unsafe', run: () => 1 })] }] }`,
      })
      const { stdout, stderr } = await loadInNode(file)
      expect({ stdout: stdout.split(' ')[0]?.trim(), stderr }).toEqual({ stdout: 'later', stderr: '' })
    },
  )

  it('that imports a broken file names that file and its line', async () => {
    await write({ 'broken.ts': 'export const a = 1\nexport const b = = 2\n', 'mine.ts': "import './broken.ts'" })
    expect((await loadInNode('mine.ts')).stdout).toMatch(/^ConfigError: mine\.ts: broken\.ts, line 2: /)
  })

  it.each<[string, string, RegExp]>([
    ['has no default export', 'export const config = {}', /^must end with export default defineConfig\(\{ … \}\)$/],
    ['is no TypeScript', 'export default {\n  agents: [\n  oops x,\n', /^line 3: /],
    ['throws', "throw new Error('first line\\nsecond line')", /^first line second line$/],
    ['imports what is not there', "import 'not-there'", /^Cannot find package 'not-there'/],
    ['needs more than type stripping', 'enum A { B }\nexport default {}', /enum/i],
    [
      'defines a tool that takes no object',
      "import { defineTool, z } from 'polylogue'\nexport default { tools: [defineTool({ name: 'x', input: z.string() })] }",
      /^tool x: input: must be an object schema$/,
    ],
    [
      'has a tool that defineTool did not make',
      "export default { tools: [{ name: 'x' }] }",
      /^tools\[0\]: must be made with defineTool$/,
    ],
  ])('is refused in one line when it %s', async (_, text, problem) => {
    await write({ 'polylogue.config.ts': text })
    const { stdout } = await loadInNode('polylogue.config.ts')
    expect(stdout).toMatch(/^ConfigError: polylogue\.config\.ts: [^\n]+\n$/)
    expect(stdout.slice('ConfigError: polylogue.config.ts: '.length).trimEnd()).toMatch(problem)
  })
})

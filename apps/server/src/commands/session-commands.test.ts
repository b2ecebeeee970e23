import { asSessionId, asUserId } from '@polylogue/engine'
import { createSkillTool, type McpPrompt, type Skill } from '@polylogue/tools'
import { describe, expect, it } from 'vitest'
import { createSessionCommands } from './session-commands.ts'

const skill = (name: string): Skill => ({
  name,
  description: `How to\n${name}`,
  body: `Do ${name} well.`,
  directory: `/skills/${name}`,
  files: [`/skills/${name}/notes.md`],
  hasMoreFiles: false,
})
const prompt = (name: string, more: Partial<McpPrompt> = {}): McpPrompt => ({
  name,
  server: 'git',
  description: 'Blames',
  arguments: ['file', 'line'],
  write: async (rest) => `Who wrote ${rest}?`,
  ...more,
})

function createCommands({ hasSkills = true, skills = [skill('deploy'), skill('undo')] } = {}) {
  const tools = hasSkills ? [createSkillTool({ skills })] : []
  return createSessionCommands({
    agents: { find: (name) => (name === 'coder' ? ({ name, tools } as never) : undefined) },
    skillsOf: () => skills,
    promptsOf: () => [
      prompt('mcp_git_blame'),
      prompt('mcp_git_broken', { arguments: [], write: () => Promise.reject(new Error('MCP server git: is away')) }),
    ],
    undo: async (userId, sessionId) => `Restored for ${userId} in ${sessionId}.`,
  })
}
const session = { userId: asUserId('ann'), sessionId: asSessionId('s1'), agent: 'coder' }
const { signal } = new AbortController()
const run = (name: string, rest = '') => createCommands().run(session, { name, rest }, signal)

describe('the commands of a session', () => {
  it('acp finding 11: are ours, the skills of the session and the prompts of its MCP servers, each name once', () => {
    expect(createCommands().list(session)).toEqual([
      { name: 'init', description: expect.any(String), hint: 'what to stress' },
      { name: 'review', description: expect.any(String), hint: 'what' },
      { name: 'undo', description: 'Restore the files that the last turn changed with Edit and Write' },
      { name: 'deploy', description: 'How to deploy', hint: 'what to do' },
      { name: 'mcp_git_blame', description: 'Blames', hint: 'file line' },
      { name: 'mcp_git_broken', description: 'Blames' },
    ])
  })

  it('contain no skills if the agent has none', () => {
    const names = createCommands({ hasSkills: false })
      .list(session)
      .map(({ name }) => name)
    expect(names).not.toContain('deploy')
  })

  it.each([
    ['init', 'Write the file AGENTS.md'],
    ['review', 'Review changes of code'],
    ['deploy', 'Follow the skill deploy:\n\nDo deploy well.\n\nFiles of this skill, in /skills/deploy:'],
  ])('/%s is a prompt that ends with what was typed', async (name, start) => {
    const answer = await run(name, 'the parser')
    expect(answer).toEqual({ type: 'prompt', text: expect.stringContaining(start) })
    expect(answer?.text.endsWith('\n\nthe parser')).toBe(true)
  })

  it('write prompts of MCP servers, or say what is wrong with the server', async () => {
    expect(await run('mcp_git_blame', 'a.ts 3')).toEqual({
      type: 'prompt',
      text: 'The MCP server git wrote this prompt:\n\nWho wrote a.ts 3?',
    })
    expect(await run('mcp_git_broken')).toEqual({ type: 'said', text: 'MCP server git: is away' })
  })

  it('undo, which a skill of that name does not replace', async () => {
    expect(await run('undo')).toEqual({ type: 'said', text: 'Restored for ann in s1.' })
  })

  it('are no others', async () => {
    expect(await run('constructor')).toBeUndefined()
  })
})

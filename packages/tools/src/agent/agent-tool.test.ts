import { describe, expect, it } from 'vitest'
import { createAgentTool } from './agent-tool.ts'

describe('the tool Agent', () => {
  it('is carried out by a sub-agent, and asks for a prompt and a few words', () => {
    const tool = createAgentTool()
    expect(tool).toMatchObject({ name: 'Agent', performer: 'agent', kind: 'agent', exposed: true })
    expect(tool.check({ description: 'Find it', prompt: 'Find the file.' }).ok).toBe(true)
    expect(tool.check({ prompt: 'Find the file.' })).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/^description: /),
    })
    expect(tool.check({ description: 'Find it', prompt: '' })).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/^prompt: /),
    })
    expect(tool.parameters['properties']).not.toHaveProperty('agent')
  })

  it('names the sub-agents there are, and takes no others', () => {
    const tool = createAgentTool([{ name: 'scout', description: 'Finds things.' }, { name: 'critic' }])
    const input = { description: 'Find it', prompt: 'Find the file.' }
    expect(tool.check({ ...input, agent: 'scout' }).ok).toBe(true)
    expect(tool.check({ ...input, agent: 'root' })).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/^agent: /),
    })
    expect(JSON.stringify(tool.parameters)).toContain('scout: Finds things.')
  })

  it('says what a call is for', async () => {
    const tool = createAgentTool()
    const check = tool.check({ description: 'Find it', prompt: 'Find the file.' })
    const inspected = await tool.inspect?.(check.ok && check.input, { cwd: '/', roots: [] })
    expect(inspected).toEqual({ facts: { type: 'agent' }, preview: { title: 'Find it' } })
  })
})

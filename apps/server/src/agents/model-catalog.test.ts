import { describe, expect, it } from 'vitest'
import type { AgentDefinition } from '@polylogue/engine'
import { createFakeClock, createTestAgent } from '@polylogue/testkit'
import { createModelCatalog } from './model-catalog.ts'

const agent = createTestAgent()
const catalogWith = (env: Record<string, string>, agents: readonly AgentDefinition[] = [agent]) =>
  createModelCatalog(
    { find: (name) => agents.find((one) => one.name === name), list: () => agents, defaultName: agents[0]?.name ?? '' },
    { clock: createFakeClock(), env, providers: {}, log: () => undefined },
  )

describe('the models of a server', () => {
  it('are those of its agents, the default first', () => {
    const other = createTestAgent({ name: 'other', modelName: 'a/b' })
    expect(catalogWith({}, [agent, other, agent]).list()).toEqual([
      { name: agent.modelName, title: agent.modelName },
      { name: 'a/b', title: 'a/b' },
    ])
    expect(catalogWith({}).find(agent.modelName)?.model).toBe(agent.model)
  })

  it('are followed by every model of each provider that has a key, with the name of the provider', () => {
    const listed = catalogWith({ OPENAI_API_KEY: 'sk-x', DEEPSEEK_API_KEY: 'sk-y' }).list()
    expect(listed[0]).toEqual({ name: agent.modelName, title: agent.modelName })
    const groups = new Map(listed.map(({ name, group }) => [name.split('/')[0], group]))
    expect(groups.get('openai')).toBe('OpenAI')
    expect(groups.get('deepseek')).toBe('DeepSeek')
    expect(groups.has('anthropic')).toBe(false)
    expect(listed.filter(({ name }) => name.startsWith('openai/')).length).toBeGreaterThan(10)
    expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length)
  })

  it('include every other of a provider with a key, and no other', () => {
    const catalog = catalogWith({ OPENAI_API_KEY: 'sk-x' })
    expect(catalog.find('openai/gpt-anything')?.modelName).toBe('openai/gpt-anything')
    expect(catalog.find('openai/gpt-anything')).toBe(catalog.find('openai/gpt-anything'))
    expect(catalog.find('anthropic/claude-x')).toBeUndefined()
    expect(catalog.find('nobody/x')).toBeUndefined()
    expect(catalog.find('ollama/qwen')?.modelName).toBe('ollama/qwen')
  })

  it.each(['', '/', 'openai', 'openai/', '/x', '__proto__/x'])('do not include %j', (name) => {
    expect(catalogWith({ OPENAI_API_KEY: 'sk-x' }).find(name)).toBeUndefined()
  })
})

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

  it('include what servers on this machine have, once these were asked, and these are not asked at every look', async () => {
    let asked = 0
    const fetch: typeof globalThis.fetch = async (url) => {
      const { href } = new URL(url instanceof Request ? url.url : url)
      if (!href.includes(':11434/')) throw new TypeError('nobody listens')
      asked += 1
      return Response.json({ models: [{ name: 'qwen3:8b' }], data: [{ id: 'qwen3:8b' }] })
    }
    const agents = { find: () => agent, list: () => [agent], defaultName: agent.name }
    const clock = createFakeClock()
    const catalog = createModelCatalog(agents, { clock, env: {}, providers: {}, log: () => undefined, fetch })
    expect(catalog.list()).toHaveLength(1)
    await catalog.askServers()
    const before = asked
    await catalog.askServers()
    expect(catalog.list()).toContainEqual({ name: 'ollama/qwen3:8b', title: expect.any(String), group: 'Ollama' })
    expect(before).toBeGreaterThan(0)
    expect(asked).toBe(before)
  })

  it.each(['', '/', 'openai', 'openai/', '/x', '__proto__/x'])('do not include %j', (name) => {
    expect(catalogWith({ OPENAI_API_KEY: 'sk-x' }).find(name)).toBeUndefined()
  })
})

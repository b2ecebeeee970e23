import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { configSchema } from '../config/config-schema.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { BUILT_IN_TOOLS } from '../config/built-in-names.ts'
import { createAgentCatalog } from './agent-catalog.ts'

const clock = createFakeClock()

function assistantOf(written: object, defaultModel: string, dataDir?: string) {
  const { tools: _, ...config } = configSchema.parse(written)
  const agents = config.agents.map((agent) => ({ ...agent, tools: [], origin: 'polylogue.config.ts' }))
  const loaded: LoadedConfig = {
    ...config,
    agents,
    skills: [],
    skillDirectories: [],
    directory: '/nowhere',
    file: 'polylogue.config.ts',
  }
  const parts = { scripted: true, clock, defaultModel, ...(dataDir !== undefined && { dataDir }) }
  return createAgentCatalog(loaded, parts).find('assistant')
}

describe('the default agent', () => {
  it('is, without a model, a guide that says so, with two tools of its own, all built-in ones and two options', () => {
    const guide = assistantOf({}, 'demo', '/data')
    expect(guide?.description).toContain('not an AI')
    expect(guide?.modelName).toBe('polylogue/demo')
    expect(guide?.tools.map(({ name, effect }) => [name, effect])).toEqual([
      ['CurrentTime', 'readonly'],
      ['KeepNote', 'unsafe'],
      ...BUILT_IN_TOOLS.map((name) => [name, expect.any(String)]),
    ])
    expect(guide?.options).toMatchObject([
      { name: 'language', default: 'auto' },
      { name: 'pace', default: 'normal' },
    ])
    expect(guide?.features.images).toEqual([])
  })

  it('has no tools where there is no place to keep anything', () => {
    expect(assistantOf({}, 'demo')?.tools).toEqual([])
  })

  it('leaves its own things behind when there is a model', () => {
    const assistant = assistantOf({}, 'ollama/llama3.2', '/data')
    expect(assistant).toMatchObject({
      modelName: 'ollama/llama3.2',
      options: [],
      features: { images: ['http', 'data'] },
    })
    expect(assistant?.tools.map(({ name }) => name)).toEqual([...BUILT_IN_TOOLS])
    expect(assistant?.instructions).toMatch(/^You are a helpful assistant\./)
  })

  it('is not there when others are', () => {
    expect(assistantOf({ agents: [{ name: 'a', instructions: 'Write.' }] }, 'demo', '/data')).toBeUndefined()
  })
})

import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { ConfigError } from '../config/config-error.ts'
import { configSchema } from '../config/config-schema.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { createAgentCatalog } from './agent-catalog.ts'
import { chooseModel } from './agent-models.ts'

const clock = createFakeClock()
const agent = (name: string, more: object = {}): object => ({ name, instructions: 'Write.', ...more })

function configOf(written: object = {}): LoadedConfig {
  const { tools: _, ...config } = configSchema.parse(written)
  const agents = config.agents.map((one) => ({ ...one, tools: [], origin: 'polylogue.config.ts' }))
  return { ...config, agents, skills: [], skillDirectories: [], directory: '/nowhere', file: 'polylogue.config.ts' }
}

const modelNames = (config: LoadedConfig, defaultModel?: string): readonly string[] =>
  createAgentCatalog(config, { scripted: false, clock, ...(defaultModel !== undefined && { defaultModel }) })
    .list()
    .map(({ modelName }) => modelName)

describe('the model of an agent', () => {
  it('is the one that it names, of a known or a configured provider', () => {
    const agents = [agent('a', { model: 'OpenAI/gpt-5' }), agent('b', { model: 'lab/big/one' })]
    expect(modelNames(configOf({ agents, providers: { lab: { baseUrl: 'http://127.0.0.1:1/v1' } } }))).toEqual([
      'openai/gpt-5',
      'lab/big/one',
    ])
  })

  it('is the default model if it names none', () => {
    expect(modelNames(configOf({ agents: [agent('a')] }), 'google/gemini-flash-latest')).toEqual([
      'google/gemini-flash-latest',
    ])
    expect(modelNames(configOf(), 'ollama/llama3.2')).toEqual(['ollama/llama3.2', 'ollama/llama3.2'])
    expect(modelNames(configOf())).toEqual(['polylogue/demo', 'polylogue/demo'])
  })

  it('of an unknown provider is refused, with the place where it is configured', () => {
    const config = configOf({ agents: [agent('a', { model: 'nope/x' })] })
    expect(() => modelNames(config)).toThrow(ConfigError)
    expect(() => modelNames(config)).toThrow('polylogue.config.ts: model: no provider is named nope; there are')
    expect(() => modelNames(configOf(), 'nope/x')).toThrow('the default model: no provider is named nope')
  })

  it('lets clients of the assistant send images, unless it is the demo', () => {
    const imagesOf = (defaultModel: string) =>
      createAgentCatalog(configOf(), { scripted: false, clock, defaultModel }).find('assistant')?.features.images
    expect(imagesOf('openai/gpt-5')).toEqual(['http', 'data'])
    expect(imagesOf('demo')).toEqual([])
  })
})

describe('the default model', () => {
  const choose = (written: object, env: Record<string, string> = {}) => {
    const config = configOf(written)
    return chooseModel(config, { clock, env, providers: config.providers })
  }

  it('is the configured one before any other', async () => {
    const env = { ANTHROPIC_API_KEY: 'a' }
    expect(await choose({ defaultModel: 'openai/gpt-5' }, env)).toEqual({
      name: 'openai/gpt-5',
      sentence: 'openai/gpt-5, as configured.',
    })
    expect((await choose({}, env))?.name).toMatch(/^anthropic\//)
  })

  it('is not looked for when every agent names its own', async () => {
    expect(await choose({ agents: [agent('a', { model: 'demo' })] }, { ANTHROPIC_API_KEY: 'a' })).toBeUndefined()
  })
})

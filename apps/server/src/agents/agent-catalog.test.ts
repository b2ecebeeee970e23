import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { ConfigError } from '../config/config-error.ts'
import { configSchema } from '../config/config-schema.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { BUILT_IN_TOOLS } from '../config/built-in-names.ts'
import { createAgentCatalog } from './agent-catalog.ts'
import { findKeyless } from './find-keyless.ts'

const clock = createFakeClock()
const model = { stream: async function* () {} }

function configOf(written: object = {}): LoadedConfig {
  const { tools: _, ...config } = configSchema.parse(written)
  const agents = config.agents.map((agent) => ({ ...agent, tools: [], origin: 'polylogue.config.ts' }))
  return { ...config, agents, skills: [], skillDirectories: [], directory: '/nowhere', file: 'polylogue.config.ts' }
}

const agent = (name: string, more: object = {}): object => ({ name, instructions: 'Write.', model: 'demo', ...more })

describe('the agents of a server', () => {
  it('are the assistant and the coder when nothing is configured', () => {
    const catalog = createAgentCatalog(configOf(), { scripted: false, clock })
    expect(catalog.list().map(({ name }) => name)).toEqual(['assistant', 'coder'])
    expect(catalog.defaultName).toBe('assistant')
    expect(catalog.find('assistant')?.modelName).toBe('polylogue/demo')
    expect(catalog.find('scripted')).toBeUndefined()
  })

  it('include the scripted ones on demand, never as the default', () => {
    const catalog = createAgentCatalog(configOf(), { scripted: true, clock })
    expect(catalog.list().map(({ name }) => name)).toEqual(['assistant', 'coder', 'scripted', 'scripted-min'])
    expect(catalog.defaultName).toBe('assistant')
  })

  it('are those of the configuration, the first of them as default', () => {
    const config = configOf({ agents: [agent('a'), agent('b')] })
    const catalog = createAgentCatalog(config, { scripted: true, clock })
    expect(catalog.list().map(({ name }) => name)).toEqual(['a', 'b', 'scripted', 'scripted-min'])
    expect(catalog.defaultName).toBe('a')
    expect(createAgentCatalog({ ...config, defaultAgent: 'scripted' }, { scripted: true, clock }).defaultName).toBe(
      'scripted',
    )
  })

  it('carry the name of their model and the steps they may take', () => {
    const agents = [
      agent('a', { model: 'scripted', maxSteps: 3 }),
      agent('b', { model }),
      agent('c', { model, modelName: 'my/own' }),
    ]
    const catalog = createAgentCatalog(configOf({ agents, limits: { maxSteps: 9 } }), { scripted: false, clock })
    expect(catalog.list().map(({ modelName, maxSteps }) => [modelName, maxSteps])).toEqual([
      ['polylogue/scripted', 3],
      ['custom/b', 9],
      ['my/own', 9],
    ])
    expect(catalog.find('b')?.model).toBe(model)
    expect(catalog.find('b')).not.toHaveProperty('origin')
  })

  it('are refused when one has the name of a scripted one', () => {
    const config = configOf({ agents: [agent('scripted')] })
    expect(createAgentCatalog(config, { scripted: false, clock }).defaultName).toBe('scripted')
    expect(() => createAgentCatalog(config, { scripted: true, clock })).toThrow(
      new ConfigError('polylogue.config.ts: the name scripted is taken'),
    )
  })

  it('are refused when two have one name', () => {
    const [only] = configOf({ agents: [agent('a')] }).agents
    const agents = [only, only].flatMap((one) => (one ? [one] : []))
    expect(() => createAgentCatalog({ ...configOf(), agents }, { scripted: false, clock })).toThrow(
      new ConfigError('polylogue.config.ts: the name a is taken'),
    )
  })

  it('are refused when the default model does not exist, naming where it was written', () => {
    const catalogOf = (written: object, env: object) =>
      createAgentCatalog(configOf(written), { scripted: false, clock, defaultModel: 'none/such', env: { ...env } })
    expect(() => catalogOf({}, { POLYLOGUE_MODEL: 'none/such' })).toThrow(/^POLYLOGUE_MODEL: no provider is named none/)
    expect(() => catalogOf({ defaultModel: 'none/such' }, { POLYLOGUE_MODEL: 'demo' })).toThrow(
      /^polylogue\.config\.ts: defaultModel: no provider is named none/,
    )
  })

  it('are refused when the default is not among them', () => {
    const config = configOf({ agents: [agent('a'), agent('b')], defaultAgent: 'scripted' })
    expect(() => createAgentCatalog(config, { scripted: false, clock })).toThrow(
      new ConfigError('polylogue.config.ts: defaultAgent: no agent is named scripted; there are a, b'),
    )
  })
})

describe('a configured agent', () => {
  const written = {
    agents: [agent('lead', { subAgents: ['scout'] }), agent('scout', { description: 'Finds things.' })],
  }

  it('has the built-in tools that it names, and its sub-agents in the tool for them', () => {
    const config = configOf(written)
    const agents = config.agents.map((one) => ({ ...one, tools: ['Read', 'Agent'] as const }))
    const catalog = createAgentCatalog({ ...config, agents }, { scripted: false, clock })
    const lead = catalog.find('lead')
    expect(lead?.tools.map(({ name }) => name)).toEqual(['Read', 'Agent'])
    expect(JSON.stringify(lead?.tools[1]?.parameters)).toContain('scout: Finds things.')
    expect(JSON.stringify(catalog.find('scout')?.tools[1]?.parameters)).not.toContain('scout')
  })
})

describe('the scripted agents', () => {
  const catalog = createAgentCatalog(configOf(), { scripted: true, clock })

  it('one has every feature, four tools of its own, all built-in ones and an option of each type', () => {
    const scripted = catalog.find('scripted')
    expect(scripted?.tools.map(({ name }) => name)).toEqual(['echo', 'boom', 'slow', 'hidden', ...BUILT_IN_TOOLS])
    expect(scripted?.options).toMatchObject([
      { type: 'secret', name: 'apiKey', default: '' },
      { type: 'text', name: 'language', default: 'English' },
      { type: 'select', name: 'model', choices: ['a', 'b'], default: 'a' },
    ])
    expect(scripted?.features).toEqual({
      histories: ['compacted', 'full'],
      streams: ['delta', 'message', 'none'],
      clientTools: true,
      images: ['http', 'data'],
    })
  })

  it('the other has nothing but whole answers and the compacted history', () => {
    expect(catalog.find('scripted-min')).toMatchObject({
      tools: [],
      options: [],
      features: { histories: ['compacted'], streams: ['none'], clientTools: false, images: [] },
    })
  })
})

describe('agents without a key', () => {
  const keyless = (written: object, env: Record<string, string> = {}, defaultModel = 'demo') => {
    const config = configOf(written)
    const catalog = createAgentCatalog(config, { scripted: true, clock, env, defaultModel })
    return findKeyless(catalog.list(), { config, env }).map(({ sentence }) => sentence)
  }

  it('are those whose provider needs one and finds none', () => {
    const agents = [
      agent('a', { model: 'openai/gpt-x' }),
      agent('b', { model: 'ollama/x' }),
      agent('c'),
      agent('d', { model, modelName: 'openai/of-my-own' }),
      agent('e', { model: 'mine/x' }),
    ]
    const providers = { mine: { baseUrl: 'https://models.example', kind: 'anthropic', apiKeyEnv: 'MY_KEY' } }
    const [a, e] = [
      'a has no API key for openai/gpt-x: set OPENAI_API_KEY.',
      'e has no API key for mine/x: set MY_KEY.',
    ]
    expect(keyless({ agents, providers })).toEqual([a, e])
    expect(keyless({ agents, providers }, { OPENAI_API_KEY: 'k' })).toEqual([e])
    expect(keyless({ agents, providers: { ...providers, openai: { apiKey: 'k' } } }, { MY_KEY: 'k' })).toEqual([])
  })

  it('are also those with a default model, and the built-in ones', () => {
    expect(keyless({}, {}, 'anthropic/x')).toEqual([
      'assistant has no API key for anthropic/x: set ANTHROPIC_API_KEY.',
      'coder has no API key for anthropic/x: set ANTHROPIC_API_KEY.',
    ])
    expect(keyless({})).toEqual([])
  })
})

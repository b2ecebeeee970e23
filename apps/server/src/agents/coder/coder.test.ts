import { countTokens } from '@polylogue/models'
import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { configSchema } from '../../config/config-schema.ts'
import type { LoadedConfig } from '../../config/load-config.ts'
import { sha256 } from '../../platform/sha256.ts'
import { createAgentCatalog } from '../agent-catalog.ts'

const clock = createFakeClock()

function catalogOf(written: object, defaultModel = 'ollama/llama3.2') {
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
  return createAgentCatalog(loaded, { scripted: false, clock, defaultModel, dataDir: '/data' })
}

const own = { name: 'own', instructions: 'Help.' }

describe('the agent coder', () => {
  it('is offered beside the assistant, and is the default of the command line and of editors only', () => {
    const catalog = catalogOf({})
    expect(catalog.list().map(({ name }) => name)).toEqual(['assistant', 'coder'])
    expect([catalog.defaultName, catalog.localDefaultName]).toEqual(['assistant', 'coder'])
    expect(catalog.find('coder')).toMatchObject({ isToldSurroundings: true, features: { images: ['http', 'data'] } })
  })

  it('yields to the configured default agent', () => {
    expect(catalogOf({ defaultAgent: 'assistant' }).localDefaultName).toBe('assistant')
    expect(catalogOf({ agents: [own], defaultAgent: 'own' }).localDefaultName).toBe('own')
  })

  it('is there beside configured agents when the configuration names it as its default', () => {
    const catalog = catalogOf({ agents: [own], defaultAgent: 'coder' })
    expect(catalog.list().map(({ name }) => name)).toEqual(['own', 'coder'])
    expect([catalog.defaultName, catalog.localDefaultName]).toEqual(['coder', 'coder'])
    expect(catalogOf({ agents: [own] }).list()).toHaveLength(1)
  })

  it('is the guide where there is no model, which changes nothing in the current folder', () => {
    expect(catalogOf({}, 'demo').find('coder')).toMatchObject({ modelName: 'polylogue/demo' })
    expect(catalogOf({}, 'demo').find('coder')?.isToldSurroundings).toBeUndefined()
  })

  it('costs at most 6,000 tokens before the user has said anything', async () => {
    const coder = catalogOf({}).find('coder')
    const tools = coder?.tools.map(({ name, description, parameters }) => ({ name, description, parameters }))
    expect(tools?.length).toBeGreaterThan(12)
    expect(await countTokens(`${coder?.instructions}\n${JSON.stringify(tools)}`)).toBeLessThanOrEqual(6_000)
  })

  it('gets a new version with every change of its prompt', () => {
    const coder = catalogOf({}).find('coder')
    expect([coder?.version, sha256(coder?.instructions ?? '').slice(0, 12)]).toMatchInlineSnapshot(`
      [
        "1.4.0",
        "31c09e22bf63",
      ]
    `)
  })
})

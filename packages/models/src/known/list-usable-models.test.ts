import { expect, it } from 'vitest'
import { listUsableModels } from './list-usable-models.ts'

const names = (found: readonly { readonly name: string }[]): readonly string[] => found.map(({ name }) => name)

it('lists the known models of every provider with a key, and of no other', () => {
  const found = listUsableModels({ env: { ANTHROPIC_API_KEY: 'k', DEEPSEEK_API_KEY: 'k', XAI_API_KEY: ' ' } })
  expect(new Set(found.map(({ provider }) => provider))).toEqual(new Set(['anthropic', 'deepseek']))
  expect(found.find(({ name }) => name === 'anthropic/claude-sonnet-5-5')).toMatchObject({
    title: 'Claude Sonnet 5.5',
    window: expect.any(Number),
    images: true,
    thinking: expect.arrayContaining(['low', 'high']),
    price: expect.objectContaining({ input: 2, output: 10 }),
  })
  expect(listUsableModels({ env: {} })).toEqual([])
})

it('lists models of today before older ones', () => {
  const found = names(listUsableModels({ env: { ANTHROPIC_API_KEY: 'k' } }))
  expect(found.indexOf('anthropic/claude-3-haiku')).toBeGreaterThan(found.indexOf('anthropic/claude-sonnet-5-5'))
})

it('lists a configured model first, also an unknown one', () => {
  const providers = {
    groq: { model: 'my-own' },
    lab: { baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'k', model: 'qwen3' },
  }
  const found = names(listUsableModels({ env: { GROQ_API_KEY: 'k' }, providers }))
  expect(found[0]).toBe('groq/my-own')
  expect(found.at(-1)).toBe('lab/qwen3')
  expect(found.length).toBeGreaterThan(5)
})

it('lists no catalogue entries when the name is used for another server', () => {
  const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }
  expect(listUsableModels({ env })).toEqual([])
})

it('lists only the named deployment of Azure, with the facts of the model that it is named after', () => {
  const env = { AZURE_OPENAI_API_KEY: 'k', AZURE_RESOURCE_NAME: 'ours' }
  expect(listUsableModels({ env })).toEqual([])
  expect(listUsableModels({ env, providers: { azure: { model: 'gpt-5' } } })).toMatchObject([
    { name: 'azure/gpt-5', title: 'GPT-5', window: 272_000 },
  ])
})

it('knows accounts as well as keys', () => {
  const aws = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' }
  expect(names(listUsableModels({ env: aws }))).toContain('bedrock/eu.anthropic.claude-sonnet-5-5')
  expect(listUsableModels({ env: { AWS_REGION: 'eu-central-1' } })).toEqual([])
  expect(names(listUsableModels({ env: { GOOGLE_VERTEX_PROJECT: 'p' } }))).toContain('vertex/gemini-3.5-flash')
})

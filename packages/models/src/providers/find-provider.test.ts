import { describe, expect, it } from 'vitest'
import { findKeyedProviders, findProvider } from './find-provider.ts'
import { ModelChoiceError } from './model-choice-error.ts'
import { parseModelName } from './parse-model-name.ts'
import { DEFAULT_DEADLINES, providersSchema } from './provider-config.ts'

describe('the name of a model', () => {
  it.each([
    ['anthropic/claude-sonnet-5-5', 'anthropic', 'claude-sonnet-5-5'],
    ['OpenAI/gpt-5', 'openai', 'gpt-5'],
    ['openrouter/meta-llama/llama-3:free', 'openrouter', 'meta-llama/llama-3:free'],
    [' ollama / llama3.2:3b ', 'ollama', 'llama3.2:3b'],
  ])('%s is split at the first slash', (name, provider, model) => {
    expect(parseModelName(name)).toEqual({ provider, model })
  })

  it.each(['gpt-5', '/gpt-5', 'openai/', ''])('%j is refused', (name) => {
    expect(() => parseModelName(name)).toThrow(ModelChoiceError)
  })
})

describe('a provider', () => {
  it.each([
    ['anthropic', 'anthropic', 'https://api.anthropic.com/v1', 'ANTHROPIC_API_KEY'],
    ['openai', 'openai', 'https://api.openai.com/v1', 'OPENAI_API_KEY'],
    ['google', 'google', 'https://generativelanguage.googleapis.com/v1beta', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    ['google', 'google', 'https://generativelanguage.googleapis.com/v1beta', 'GEMINI_API_KEY'],
    ['google', 'google', 'https://generativelanguage.googleapis.com/v1beta', 'GOOGLE_API_KEY'],
    ['ollama', 'openai-compatible', 'http://127.0.0.1:11434/v1', 'OLLAMA_API_KEY'],
  ])('%s is known as %s at %s, with its key in %s', (name, kind, baseUrl, variable) => {
    expect(findProvider(name, {}, { [variable]: ' k1 ' })).toMatchObject({
      kind,
      baseUrl,
      apiKey: 'k1',
      apiKeyFrom: variable,
    })
  })

  it('takes its key from the configuration before any variable', () => {
    const env = { ANTHROPIC_API_KEY: 'k1', MY_KEY: 'k2' }
    expect(findProvider('anthropic', { anthropic: { apiKeyEnv: 'MY_KEY' } }, env).apiKey).toBe('k2')
    expect(findProvider('anthropic', { anthropic: { apiKeyEnv: 'MY_KEY', apiKey: 'k3' } }, env).apiKey).toBe('k3')
    expect(findProvider('anthropic', {}, { ANTHROPIC_API_KEY: ' ' }).apiKey).toBeUndefined()
  })

  it('may be moved to another address, whose usual path is added', () => {
    expect(findProvider('anthropic', {}, { ANTHROPIC_BASE_URL: 'https://proxy.example/' }).baseUrl).toBe(
      'https://proxy.example/v1',
    )
    expect(findProvider('google', { google: { baseUrl: 'https://proxy.example/g/' } }, {}).baseUrl).toBe(
      'https://proxy.example/g',
    )
  })

  it('named openai uses the older format elsewhere, unless configured otherwise', () => {
    const baseUrl = 'http://127.0.0.1:1234/v1'
    expect(findProvider('openai', {}, { OPENAI_BASE_URL: baseUrl })).toMatchObject({
      kind: 'openai-compatible',
      baseUrl,
    })
    expect(findProvider('openai', { openai: { baseUrl, kind: 'openai' } }, {}).kind).toBe('openai')
  })

  it.each([
    ['127.0.0.1:9999', 'http://127.0.0.1:9999/v1'],
    ['0.0.0.0', 'http://127.0.0.1:11434/v1'],
    ['https://ollama.example', 'https://ollama.example/v1'],
    ['not a host', 'http://127.0.0.1:11434/v1'],
  ])('ollama is found by its own variable %j', (host, baseUrl) => {
    expect(findProvider('ollama', {}, { OLLAMA_HOST: host }).baseUrl).toBe(baseUrl)
  })

  it('of any name may be given by configuration or environment', () => {
    expect(
      findProvider('my-lab', { 'my-lab': { baseUrl: 'http://127.0.0.1:8000/v1' } }, { MY_LAB_API_KEY: 'k' }),
    ).toMatchObject({
      kind: 'openai-compatible',
      apiKey: 'k',
      needsKey: false,
    })
    expect(findProvider('groq', {}, { GROQ_BASE_URL: 'https://api.groq.com/openai/v1' }).baseUrl).toBe(
      'https://api.groq.com/openai/v1',
    )
  })

  it('that is unknown is refused with the known names', () => {
    expect(() => findProvider('nope', { lab: {} }, {})).toThrow(
      'NOPE_BASE_URL can give the address of an OpenAI-compatible server',
    )
    expect(() => findProvider('constructor', {}, {})).toThrow(ModelChoiceError)
  })

  it.each(['ftp://a.example', 'a.example', 'https://user:pass@a.example'])(
    'is refused at the address %s',
    (address) => {
      expect(() => findProvider('lab', {}, { LAB_BASE_URL: address })).toThrow(ModelChoiceError)
    },
  )

  it('has deadlines, of which some may be changed', () => {
    expect(findProvider('openai', {}, {}).deadlines).toEqual(DEFAULT_DEADLINES)
    expect(findProvider('openai', { openai: { deadlines: { idleMs: 5 } } }, {}).deadlines).toEqual({
      ...DEFAULT_DEADLINES,
      idleMs: 5,
    })
    expect(findProvider('ollama', {}, {}).deadlines.firstByteMs).toBe(240_000)
  })
})

describe('providers in a configuration', () => {
  it('are read as they are written', () => {
    const written = {
      lab: {
        baseUrl: 'http://127.0.0.1:8000/v1',
        apiKeyEnv: 'LAB',
        model: 'big',
        thinking: 'low',
        images: false,
        deadlines: { idleMs: 10 },
      },
    }
    expect(providersSchema.parse(written)).toEqual(written)
  })

  it.each([
    [{ Lab: {} }],
    [{ lab: { url: 'http://x' } }],
    [{ lab: { baseUrl: 'x' } }],
    [{ lab: { baseUrl: 'https://k:s@a.example' } }],
    [{ lab: { thinking: 'a lot' } }],
    [{ lab: { deadlines: { firstByteMs: 600_000 } } }],
  ])('are refused when they are wrong: %j', (written) => {
    expect(providersSchema.safeParse(written).success).toBe(false)
  })
})

it('those with a key are told from the rest, for any place of the key', () => {
  const configs = {
    lab: { baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'abc' },
    bare: { baseUrl: 'http://127.0.0.1:2/v1' },
  }
  const keyed = findKeyedProviders({ ...configs, lost: {} }, { ANTHROPIC_API_KEY: 'def', OPENAI_API_KEY: ' ' })
  expect(keyed.map(({ name, apiKey }) => [name, apiKey])).toEqual([
    ['anthropic', 'def'],
    ['lab', 'abc'],
  ])
})

// Every provider that is known by name, against a server that takes exactly what that provider takes. Nothing here calls
// the network.
import { asToolCallId, type ModelMessage } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { CLOUD_PROVIDERS } from './cloud-providers.ts'
import { KNOWN_PROVIDERS } from './known-providers.ts'
import type { Environment, ProviderConfigs } from './provider-config.ts'
import { resolveModel } from './resolve-model.ts'
import { anthropicWire } from './test-support/anthropic-wire.ts'
import { collect, historyAfter, requestOf, toBlocks, toolResult, weather } from './test-support/ask.ts'
import { bedrockChunks, findBedrockFault, findSignatureFault, type AwsKey } from './test-support/bedrock-wire.ts'
import { chatWire } from './test-support/chat-wire.ts'
import { googleWire } from './test-support/google-wire.ts'
import { openaiWire } from './test-support/openai-wire.ts'
import { startStrictServer, type StrictProvider } from './test-support/strict-server.ts'
import type { Wire } from './test-support/wire.ts'

const KEY = 'sk-matrix-0123456789'
const AWS: AwsKey = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', region: 'eu-central-1' }
const CLAUDE = 'eu.anthropic.claude-sonnet-5-5'

interface Row {
  readonly provider: string
  readonly model: string
  readonly env: Environment
  readonly configs?: ProviderConfigs
  readonly server: StrictProvider
}

const ANSWER = {
  blocks: [
    { type: 'thinking', pieces: ['Hm.'], signature: 'sig-1' },
    { type: 'text', pieces: ['Let me see.'] },
    { type: 'call', id: 'call_1', name: 'weather', pieces: ['{"city":"Oslo"}'], signature: 'sig-2' },
  ],
  finish: 'calls',
} as const

const CALL = { id: 'call_1', name: 'weather', input: '{"city":"Oslo"}' }

const speaks = (wire: Wire, url: string, headers: StrictProvider['headers']): StrictProvider => ({
  url,
  headers: { authorization: undefined, 'x-api-key': undefined, 'api-key': undefined, ...headers },
  findFault: (body) => wire.findFault(body),
  contentType: 'text/event-stream',
  chunks: wire.answer(ANSWER),
})

const chat = (
  [provider, model, keyVariable, origin]: readonly [string, string, string, string],
  findFault: (body: unknown) => string | undefined = () => undefined,
): Row => {
  const server = speaks(chatWire, `${origin}/chat/completions`, { authorization: `Bearer ${KEY}` })
  return {
    provider,
    model,
    env: { [keyVariable]: KEY },
    server: { ...server, findFault: (body) => chatWire.findFault(body) ?? findFault(body) },
  }
}

const local = (provider: string, port: number): Row => ({
  provider,
  model: 'qwen3:8b',
  env: {},
  server: {
    ...speaks(chatWire, `http://127.0.0.1:${port}/v1/chat/completions`, {}),
    ...(provider === 'ollama' && { readable: '/api/ps' }),
  },
})

const bedrock = (headers: StrictProvider['headers']): StrictProvider => ({
  url: `https://bedrock-runtime.eu-central-1.amazonaws.com/model/${CLAUDE}/converse-stream`,
  headers,
  findFault: findBedrockFault,
  contentType: 'application/vnd.amazon.eventstream',
  chunks: bedrockChunks(CALL),
})

const refuses = (field: string) => (body: unknown) =>
  JSON.stringify(body).includes(`"${field}"`) ? `property '${field}' is unsupported` : undefined

const ROWS: readonly Row[] = [
  {
    provider: 'anthropic',
    model: 'claude-sonnet-5-5',
    env: { ANTHROPIC_API_KEY: KEY },
    server: speaks(anthropicWire, 'https://api.anthropic.com/v1/messages', {
      'x-api-key': KEY,
      'anthropic-version': '2023-06-01',
    }),
  },
  {
    provider: 'openai',
    model: 'gpt-6.1-sol',
    env: { OPENAI_API_KEY: KEY },
    server: speaks(openaiWire, 'https://api.openai.com/v1/responses', { authorization: `Bearer ${KEY}` }),
  },
  {
    provider: 'google',
    model: 'gemini-3-flash-preview',
    env: { GEMINI_API_KEY: KEY },
    server: speaks(
      googleWire,
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-3-flash-preview:streamGenerateContent?alt=sse',
      { 'x-goog-api-key': KEY },
    ),
  },
  chat(['openrouter', 'anthropic/claude-sonnet-5.5', 'OPENROUTER_API_KEY', 'https://openrouter.ai/api/v1']),
  chat(['mistral', 'mistral-large-latest', 'MISTRAL_API_KEY', 'https://api.mistral.ai/v1'], refuses('stream_options')),
  chat(['xai', 'grok-4.7', 'XAI_API_KEY', 'https://api.x.ai/v1']),
  chat(['deepseek', 'deepseek-v4-pro', 'DEEPSEEK_API_KEY', 'https://api.deepseek.com/v1']),
  chat(['groq', 'openai/gpt-oss-120b', 'GROQ_API_KEY', 'https://api.groq.com/openai/v1'], refuses('reasoning_content')),
  chat(['together', 'zai-org/GLM-5.3', 'TOGETHER_API_KEY', 'https://api.together.xyz/v1']),
  chat([
    'fireworks',
    'accounts/fireworks/routers/glm-latest',
    'FIREWORKS_API_KEY',
    'https://api.fireworks.ai/inference/v1',
  ]),
  local('ollama', 11434),
  local('lmstudio', 1234),
  local('vllm', 8000),
  local('llamacpp', 8080),
  {
    provider: 'azure',
    model: 'our-gpt',
    env: { AZURE_OPENAI_API_KEY: KEY, AZURE_RESOURCE_NAME: 'ours' },
    server: speaks(openaiWire, 'https://ours.openai.azure.com/openai/v1/responses', { 'api-key': KEY }),
  },
  {
    provider: 'azure',
    model: 'our-deepseek',
    env: { AZURE_OPENAI_API_KEY: KEY, AZURE_OPENAI_ENDPOINT: 'https://ours.services.ai.azure.com/' },
    configs: { azure: { kind: 'openai-compatible' } },
    server: speaks(chatWire, 'https://ours.services.ai.azure.com/openai/v1/chat/completions', { 'api-key': KEY }),
  },
  {
    provider: 'bedrock',
    model: CLAUDE,
    env: { AWS_REGION: 'eu-central-1', AWS_BEARER_TOKEN_BEDROCK: KEY },
    server: bedrock({ authorization: `Bearer ${KEY}` }),
  },
  {
    provider: 'bedrock',
    model: CLAUDE,
    env: { AWS_REGION: AWS.region, AWS_ACCESS_KEY_ID: AWS.id, AWS_SECRET_ACCESS_KEY: AWS.secret },
    server: { ...bedrock({}), findHeaderFault: (request) => findSignatureFault(request, AWS) },
  },
  {
    provider: 'vertex',
    model: 'gemini-3.5-flash',
    env: { GOOGLE_VERTEX_API_KEY: KEY },
    server: speaks(
      googleWire,
      'https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-3.5-flash:streamGenerateContent?alt=sse',
      { 'x-goog-api-key': KEY },
    ),
  },
]

const ask = async (row: Row, messages: readonly ModelMessage[], fetch: typeof globalThis.fetch) => {
  const { provider, model, env, configs = {} } = row
  const deps = { env, providers: configs, clock: createFakeClock(), fetch, random: () => 0.5 }
  const resolved = resolveModel(`${provider}/${model}`, deps)
  const outputs = await collect(
    resolved.stream(requestOf(messages, { tools: [weather] }), new AbortController().signal),
  )
  return { modelName: resolved.modelName, outputs }
}

const QUESTION: readonly ModelMessage[] = [{ role: 'user', content: 'weather?' }]

describe('every provider', () => {
  it('is in the matrix', () => {
    const names = [...Object.keys(KNOWN_PROVIDERS), ...Object.keys(CLOUD_PROVIDERS)]
    expect(new Set(ROWS.map(({ provider }) => provider))).toEqual(new Set(names))
  })

  it.each(ROWS)('$provider takes the first question, and the results of its calls: $server.url', async (row) => {
    await using server = await startStrictServer(row.server)
    const first = await ask(row, QUESTION, server.fetch)
    expect(server.refusals).toEqual([])
    expect(first.outputs).toContainEqual(expect.objectContaining({ type: 'text', text: 'Let me see.' }))
    expect(first.outputs).toContainEqual(expect.objectContaining({ type: 'tool-call', input: { city: 'Oslo' } }))
    expect(first.outputs.at(-1)).toMatchObject({
      type: 'finished',
      finish: 'tool-calls',
      usage: { inputTokens: 21, outputTokens: 7 },
    })
    const history: readonly ModelMessage[] = [
      ...QUESTION,
      { role: 'assistant', content: toBlocks(first.outputs), model: first.modelName },
      toolResult('call_1', 'weather', 'dry'),
    ]
    await ask(row, history, server.fetch)
    expect(server.refusals).toEqual([])
    expect(server.answered).toBe(2)
  })

  it.each(ROWS)('$provider refuses a wrong key, and a history that is not valid: $server.url', async (row) => {
    await using server = await startStrictServer(row.server)
    const wrong = Object.fromEntries(
      Object.entries(row.env).map(([name, value]) => [
        name,
        /KEY|TOKEN/.test(name) && name !== 'AWS_ACCESS_KEY_ID' ? 'wrong' : value,
      ]),
    )
    // A server on this machine refuses a key that it does not know.
    const configs = Object.keys(wrong).length > 0 ? (row.configs ?? {}) : { [row.provider]: { apiKey: 'wrong' } }
    const { outputs } = await ask({ ...row, env: wrong, configs }, QUESTION, server.fetch)
    expect(outputs).toMatchObject([{ type: 'failed', error: { code: 'model-auth' } }])
    expect(server.answered).toBe(0)
    const bare = { messages: [], contents: [], input: [] }
    expect(row.server.findFault(bare)).toBeDefined()
  })
})

it('leaves out what another provider thought', async () => {
  const row = ROWS.find(({ provider }) => provider === 'bedrock')
  if (row === undefined) throw new Error('there is no such row')
  await using server = await startStrictServer(row.server)
  const foreign = historyAfter(
    [
      { type: 'thinking', text: 'Hm.' },
      {
        type: 'opaque',
        data: { model: 'anthropic/claude-sonnet-5-5', value: { own: { anthropic: { signature: 's' } } } },
      },
      { type: 'tool-call', id: asToolCallId('call_1'), name: 'weather', input: {} },
      { type: 'tool-call', id: asToolCallId('call_2'), name: 'weather', input: {} },
    ],
    'anthropic/claude-sonnet-5-5',
  )
  await ask(row, foreign, server.fetch)
  expect(server.refusals).toEqual([])
  expect(server.answered).toBe(1)
})

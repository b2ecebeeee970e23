// Vertex by project: no key, but Google's application default credentials, here those of a workload identity whose token service
// is a server of the test. Nothing here calls the network.
import type { ModelMessage } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Environment } from './provider-config.ts'
import { resolveModel } from './resolve-model.ts'
import { collect, requestOf, toBlocks, toolResult, weather } from './test-support/ask.ts'
import { googleWire } from './test-support/google-wire.ts'
import { startStrictServer, type StrictProvider, type StrictServer } from './test-support/strict-server.ts'

const MODEL = 'gemini-3.5-flash'
const VARIABLE = 'GOOGLE_APPLICATION_CREDENTIALS'
const AUDIENCE = '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/ours/providers/ours'

const folder = mkdtempSync(join(tmpdir(), 'polylogue-vertex-'))
const before = process.env[VARIABLE]
const asked: string[] = []
const tokens = createServer((request, response) => {
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => {
    const form = new URLSearchParams(Buffer.concat(pieces).toString())
    asked.push(form.get('subject_token') ?? '')
    const isRight = form.get('audience') === AUDIENCE && form.get('subject_token') === 'who-we-are'
    response.writeHead(isRight ? 200 : 400, { 'content-type': 'application/json' })
    const granted = { access_token: 'granted', token_type: 'Bearer', expires_in: 3600, issued_token_type: 'token' }
    response.end(JSON.stringify(isRight ? granted : { error: 'invalid_grant' }))
  })
})

/** Writes the file that `GOOGLE_APPLICATION_CREDENTIALS` names. */
function writeCredentials(subjectToken: string): void {
  const address = tokens.address()
  if (address === null || typeof address === 'string') throw new Error('the token service has no port')
  const file = join(folder, 'subject-token')
  writeFileSync(file, subjectToken)
  const credentials = {
    type: 'external_account',
    audience: AUDIENCE,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `http://127.0.0.1:${address.port}/v1/token`,
    credential_source: { file },
  }
  writeFileSync(join(folder, 'credentials.json'), JSON.stringify(credentials))
}

beforeAll(async () => {
  await new Promise<void>((resolve) => tokens.listen(0, '127.0.0.1', resolve))
})
beforeEach(() => {
  process.env[VARIABLE] = join(folder, 'credentials.json')
  asked.length = 0
  writeCredentials('who-we-are')
})
afterAll(async () => {
  if (before === undefined) delete process.env[VARIABLE]
  else process.env[VARIABLE] = before
  tokens.closeAllConnections()
  await new Promise((resolve) => tokens.close(resolve))
  rmSync(folder, { recursive: true, force: true })
})

const vertexAt = (origin: string, location: string): StrictProvider => ({
  url: `${origin}/v1beta1/projects/our-project/locations/${location}/publishers/google/models/${MODEL}:streamGenerateContent?alt=sse`,
  headers: { authorization: 'Bearer granted', 'x-goog-api-key': undefined },
  findFault: (body) => googleWire.findFault(body),
  contentType: 'text/event-stream',
  chunks: googleWire.answer({
    blocks: [
      { type: 'text', pieces: ['Let me see.'] },
      { type: 'call', id: 'call_1', name: 'weather', pieces: ['{"city":"Oslo"}'], signature: 'sig-2' },
    ],
    finish: 'calls',
  }),
})

const PLACES: readonly (readonly [string, Environment, StrictProvider])[] = [
  ['the global location', {}, vertexAt('https://aiplatform.googleapis.com', 'global')],
  [
    'a region',
    { GOOGLE_VERTEX_LOCATION: 'europe-west4' },
    vertexAt('https://europe-west4-aiplatform.googleapis.com', 'europe-west4'),
  ],
  [
    'the regions of a union',
    { GOOGLE_CLOUD_LOCATION: 'eu' },
    vertexAt('https://aiplatform.eu.rep.googleapis.com', 'eu'),
  ],
]

const QUESTION: readonly ModelMessage[] = [{ role: 'user', content: 'weather?' }]

async function ask(env: Environment, { fetch }: StrictServer, messages = QUESTION) {
  const deps = { env: { GOOGLE_VERTEX_PROJECT: 'our-project', ...env }, providers: {}, clock: createFakeClock(), fetch }
  const model = resolveModel(`vertex/${MODEL}`, { ...deps, random: () => 0.5 })
  const outputs = await collect(model.stream(requestOf(messages, { tools: [weather] }), new AbortController().signal))
  return { outputs, modelName: model.modelName }
}

describe('vertex with a project and no key', () => {
  it.each(PLACES)('asks %s for its project, with a token of the credentials', async (_, env, place) => {
    await using server = await startStrictServer(place)
    const { outputs } = await ask(env, server)
    expect(server.refusals).toEqual([])
    expect(toBlocks(outputs)).toContainEqual(expect.objectContaining({ type: 'text', text: 'Let me see.' }))
    expect(outputs.at(-1)).toMatchObject({ type: 'finished', finish: 'tool-calls' })
    expect(asked).toEqual(['who-we-are'])
  })

  it('is refused for another project', async () => {
    await using server = await startStrictServer(vertexAt('https://aiplatform.googleapis.com', 'global'))
    const { outputs } = await ask({ GOOGLE_VERTEX_PROJECT: 'theirs' }, server)
    expect(server.refusals).toEqual([expect.stringContaining('no such path: /v1beta1/projects/theirs/')])
    expect(outputs.at(-1)).toMatchObject({ type: 'failed', error: { code: 'model-refused-request' } })
  })

  it.each([
    ['refuses the identity', () => writeCredentials('somebody else')],
    ['is not known, because the file is missing', () => rmSync(join(folder, 'credentials.json'))],
  ])('says what to do when the token service %s', async (_, spoil) => {
    spoil()
    await using server = await startStrictServer(vertexAt('https://aiplatform.googleapis.com', 'global'))
    const { outputs } = await ask({}, server)
    expect(server.answered + server.refusals.length).toBe(0)
    expect(outputs).toMatchObject([
      {
        type: 'failed',
        error: { code: 'model-auth', message: expect.stringContaining('gcloud auth application-default login') },
      },
    ])
  })

  it('takes the results of its calls', async () => {
    await using server = await startStrictServer(vertexAt('https://aiplatform.googleapis.com', 'global'))
    const { outputs, modelName } = await ask({}, server)
    const history: readonly ModelMessage[] = [
      ...QUESTION,
      { role: 'assistant', content: toBlocks(outputs), model: modelName },
      toolResult('call_1', 'weather', 'dry'),
    ]
    await ask({}, server, history)
    expect(server.refusals).toEqual([])
    expect(server.answered).toBe(2)
  })
})

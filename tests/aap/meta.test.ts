import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import type { AgentInfo, Meta } from '../support/aap-wire.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'

const SEMVER = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/
const LEAVES: Readonly<Record<string, readonly string[]>> = {
  history: ['compacted', 'full'],
  stream: ['delta', 'message', 'none'],
  application: ['tools'],
  image: ['http', 'data'],
}

describe('what the server says about itself', () => {
  let server: TestServer
  let meta: Meta

  const agent = (name: string): AgentInfo => {
    const found = meta.agents.find((candidate) => candidate.name === name)
    if (!found) throw new Error(`no agent ${name}`)
    return found
  }

  beforeAll(async () => {
    server = await startTestServer()
    meta = (await server.client(V3).meta()).body
  })

  afterAll(() => server.stop())

  it('aap 1: GET /meta answers 200 and version is the number 3', async () => {
    const answer = await server.client(V3).meta()
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(answer.body.version).toBe(3)
  })

  it('aap 2: every agent has a name of its own and a semantic version', () => {
    const names = meta.agents.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['scripted', 'scripted-min']))
    expect(new Set(names).size).toBe(names.length)
    for (const { name, version } of meta.agents) {
      expect(name).toEqual(expect.stringMatching(/./))
      expect(version).toEqual(expect.stringMatching(SEMVER))
    }
  })

  it('aap 3: every listed tool has name, description and parameters, and none has inputSchema', () => {
    const tools = meta.agents.flatMap(({ tools = [] }) => tools)
    expect(tools.length).toBeGreaterThanOrEqual(3)
    for (const tool of tools) {
      expect(tool).toEqual(
        expect.objectContaining({
          name: expect.stringMatching(/./),
          description: expect.any(String),
          parameters: expect.any(Object),
        }),
      )
      expect(tool).not.toHaveProperty('inputSchema')
    }
  })

  it('aap 4: capability leaves are empty objects, and unsupported ones are absent', () => {
    for (const { capabilities = {} } of meta.agents) {
      for (const [group, leaves] of Object.entries(capabilities)) {
        expect(Object.keys(LEAVES)).toContain(group)
        expect(LEAVES[group]).toEqual(expect.arrayContaining(Object.keys(leaves)))
        for (const leaf of Object.values(leaves)) expect(leaf).toEqual({})
      }
    }
    expect(agent('scripted').capabilities).toEqual({
      history: { compacted: {}, full: {} },
      stream: { delta: {}, message: {}, none: {} },
      application: { tools: {} },
      image: { http: {}, data: {} },
    })
    expect(agent('scripted-min').capabilities).toEqual({ history: { compacted: {} }, stream: { none: {} } })
  })

  it('aap 5: every option has type, name and a string default, and a select has its choices', () => {
    for (const option of meta.agents.flatMap(({ options = [] }) => options)) {
      expect(['text', 'secret', 'select']).toContain(option.type)
      expect(option.name).toEqual(expect.stringMatching(/./))
      expect(option.default).toEqual(expect.any(String))
      expect(Array.isArray(option.options)).toBe(option.type === 'select')
    }
    expect(agent('scripted').options).toEqual([
      expect.objectContaining({ type: 'secret', name: 'apiKey' }),
      expect.objectContaining({ type: 'text', name: 'language', default: 'English' }),
      expect.objectContaining({ type: 'select', name: 'model', options: ['a', 'b'] }),
    ])
    expect(agent('scripted-min').options ?? []).toEqual([])
  })

  it('aap 6: tool schemas carry no $schema', () => {
    const schemas = meta.agents.flatMap(({ tools = [] }) => tools.map(({ parameters }) => parameters))
    expect(schemas).toContainEqual(expect.objectContaining({ type: 'object' }))
    expect(JSON.stringify(schemas)).not.toContain('$schema')
  })

  it('aap 7: unexposed tools are not listed', () => {
    const names = (agent('scripted').tools ?? []).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['echo', 'boom', 'slow']))
    expect(names).not.toContain('hidden')
    expect(agent('scripted-min').tools ?? []).toEqual([])
  })
})

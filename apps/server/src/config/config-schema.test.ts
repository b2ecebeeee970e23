import { defineTool, parseWith } from '@polylogue/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { configSchema } from './config-schema.ts'

const tool = defineTool({ name: 'look', description: '', input: z.object({}), effect: 'readonly', run: () => '' })
const agent = { name: 'a', instructions: 'Be kind.', model: 'demo' }
const withAgent = (more: object): object => ({ agents: [{ ...agent, ...more }] })
const withOption = (...options: object[]): object => withAgent({ options })
const select = { type: 'select', name: 'size', choices: ['s', 'm'] }

function problemWith(config: unknown): string {
  const parsed = parseWith(configSchema, config)
  return parsed.ok ? 'none' : parsed.problem
}

describe('a configuration', () => {
  it('has a default for everything', () => {
    expect(parseWith(configSchema, {})).toEqual({
      ok: true,
      value: {
        agents: [],
        tools: [],
        embed: { hosts: [] },
        providers: {},
        recovery: 'continue',
        limits: {
          maxSteps: 200,
          queuedInputs: 8,
          streamsPerKey: 1000,
          streams: 20_000,
          readsPerUser: 8,
          requestsPerKeyPerMinute: 60_000,
          promptsPerUserPerMinute: 30_000,
          runningTurnsPerUser: 1000,
          turnsPerNode: 1000,
          unauthenticatedSockets: 64,
          headersMs: 10_000,
          requestMs: 30_000,
          loopback: 'exempt',
          requestBytes: 4_194_304,
          imageRequestBytes: 33_554_432,
          jsonDepth: 64,
          jsonKeys: 250_000,
          jsonStringLength: 8_388_608,
          promptLength: 1_048_576,
          sessionBytes: 134_217_728,
          userBytes: 4_294_967_296,
          outBufferBytes: 524_288,
        },
        permissions: { deny: [], allowHosts: [], blockHosts: [], ceiling: 'workspace-write' },
        acp: { roots: {}, editorFiles: true, editorTerminals: false },
        prices: {},
        budgets: { currency: 'USD', keys: {} },
        mcpServers: [],
        bash: { sandbox: 'auto', network: 'local', withoutSandbox: 'local', limits: {}, readable: [] },
        webFetch: { allowHosts: [] },
        allowOrigins: [],
        trustedProxies: [],
        retention: {},
        signIn: {},
      },
    })
  })

  it("fills in what an agent's author left out", () => {
    const options = [{ type: 'text', name: 'a' }, { type: 'secret', name: 'b' }, select]
    expect(parseWith(configSchema, withAgent({ options }))).toMatchObject({
      ok: true,
      value: {
        agents: [
          {
            version: '1.0.0',
            tools: [],
            options: [{ default: '' }, { default: '' }, { default: 's' }],
            features: {
              histories: ['compacted', 'full'],
              streams: ['delta', 'message', 'none'],
              clientTools: true,
              images: [],
            },
          },
        ],
      },
    })
  })

  it('keeps tools and models of its own as the objects they are', () => {
    const model = { stream: () => [] }
    const parsed = parseWith(configSchema, { ...withAgent({ model, tools: [tool, 'look'] }), tools: [tool] })
    expect(parsed.ok && parsed.value.agents[0]?.model).toBe(model)
    expect(parsed.ok && parsed.value.agents[0]?.tools).toEqual([tool, 'look'])
    expect(parsed.ok && parsed.value.agents[0]?.tools[0]).toBe(tool)
  })

  it('sets one limit and leaves the others', () => {
    const parsed = parseWith(configSchema, { limits: { jsonDepth: 32 } })
    expect(parsed.ok && parsed.value.limits).toMatchObject({ jsonDepth: 32, queuedInputs: 8 })
  })
})

describe('a configuration is refused', () => {
  it.each<[string, unknown, string]>([
    ['that is no object', [], 'must be an object'],
    ['with an unknown key', { agent: [] }, 'agent: unknown key'],
    ['with agents that are no list', { agents: {} }, 'agents: must be an array'],
    ['with an unknown recovery', { recovery: 'retry' }, 'recovery: must be one of continue, interrupt'],
    ['with an unknown limit', { limits: { speed: 1 } }, 'limits.speed: unknown key'],
    ['with a limit of nothing', { limits: { maxSteps: 0 } }, 'limits.maxSteps: Too small: expected number to be >=1'],
    ['with half a limit', { limits: { maxSteps: 1.5 } }, 'limits.maxSteps: must be a whole number'],
    [
      'with a limit beyond reason',
      { limits: { jsonDepth: 5000 } },
      'limits.jsonDepth: Too big: expected number to be <=1000',
    ],
    ['with an unknown permission', { permissions: { allow: [] } }, 'permissions.allow: unknown key'],
    [
      'with an unknown ceiling',
      { permissions: { ceiling: 'all' } },
      'permissions.ceiling: must be one of read-only, plan, workspace-write, full-access',
    ],
    ['with a denial of nothing', { permissions: { deny: [{}] } }, 'permissions.deny[0].tool: is missing'],
    [
      'with a denial that is no denial',
      { permissions: { deny: [{ tool: 'Bash', action: 'allow' }] } },
      'permissions.deny[0].action: unknown key',
    ],
    [
      'with a denial that would never match',
      { permissions: { deny: [{ tool: 'Bash', args: { command: 'rm (' } }] } },
      'permissions.deny[0]: args.command: no regular expression (missing closing ): `rm (`)',
    ],
    [
      'with an address as host',
      { permissions: { allowHosts: ['https://a.example'] } },
      'permissions.allowHosts[0]: must be a host such as docs.example, or .docs.example for its subdomains too',
    ],
    [
      'with a page as origin',
      { allowOrigins: ['https://a.example/x'] },
      'allowOrigins[0]: must be an origin such as https://app.example',
    ],
    ['with any origin', { allowOrigins: ['*'] }, 'allowOrigins[0]: must be an origin such as https://app.example'],
    [
      'with another scheme',
      { publicUrl: 'ftp://a.example' },
      'publicUrl: must be an address such as https://agents.example',
    ],
    [
      'with a name as proxy',
      { trustedProxies: ['10.0.0.0/8', 'proxy.example'] },
      'trustedProxies[1]: must be an address or a network such as 10.0.0.0/8',
    ],
    [
      'with a network wider than addresses are',
      { trustedProxies: ['10.0.0.0/33'] },
      'trustedProxies[0]: must be an address or a network such as 10.0.0.0/8',
    ],
    ['with a number as default agent', { defaultAgent: 1 }, 'defaultAgent: must be a string'],
    [
      'with a default model of no provider',
      { defaultModel: 'gpt' },
      'defaultModel: must be provider/model, demo or scripted',
    ],
    [
      'with a password in an address',
      { providers: { lab: { baseUrl: 'http://me:secret@127.0.0.1' } } },
      'providers.lab.baseUrl: must be an address such as http://127.0.0.1:1234/v1, without a password',
    ],
    ['with an unknown key of a provider', { providers: { lab: { url: 'x' } } }, 'providers.lab.url: unknown key'],
    ['with an invalid tool', { tools: [{ name: 'look' }] }, 'tools[0]: must be made with defineTool'],
    ['with a tool twice', { tools: [tool, tool] }, 'tools[1].name: look occurs twice'],
    ['with an agent twice', { agents: [agent, agent] }, 'agents[1].name: a occurs twice'],
  ])('%s', (_, config, problem) => {
    expect(problemWith(config)).toBe(problem)
  })
})

describe('an agent is refused', () => {
  it.each<[string, object, string]>([
    ['without a name', { name: undefined }, 'name: is missing'],
    [
      'with a name of two words',
      { name: 'a b' },
      'name: must be 1 to 64 letters, digits, ".", "_" or "-", beginning with a letter or digit',
    ],
    ['without instructions', { instructions: undefined }, 'instructions: is missing'],
    [
      'with a model of no provider',
      { model: 'gpt' },
      'model: must be provider/model, demo, scripted, or an object with a method stream',
    ],
    [
      'with a provider and no model',
      { model: 'openai/' },
      'model: must be provider/model, demo, scripted, or an object with a method stream',
    ],
    [
      'with an invalid model',
      { model: { stream: 1 } },
      'model: must be provider/model, demo, scripted, or an object with a method stream',
    ],
    ['with a version of one number', { version: '1' }, 'version: must be a semantic version such as 1.0.0'],
    ['with an unknown key', { colour: 'red' }, 'colour: unknown key'],
    [
      'with an invalid tool',
      { tools: [{ name: 'x', run: () => 1 }] },
      'tools[0]: must be made with defineTool, or be the name of a tool',
    ],
    [
      'with an unknown stream',
      { features: { streams: ['fast'] } },
      'features.streams[0]: must be one of delta, message, none',
    ],
    ['with no stream', { features: { streams: [] } }, 'features.streams: must not be empty'],
    ['with an unknown feature', { features: { voice: true } }, 'features.voice: unknown key'],
    ['with no steps', { maxSteps: 0 }, 'maxSteps: Too small: expected number to be >=1'],
  ])('%s', (_, more, problem) => {
    expect(problemWith({ agents: [agent, { ...agent, name: 'b', ...more }] })).toBe(`agents[1].${problem}`)
  })
})

describe('an option is refused', () => {
  it.each<[string, object, string]>([
    ['without a type', { name: 'a' }, 'type: must be one of text, secret, select'],
    ['of an unknown type', { type: 'number', name: 'a' }, 'type: must be one of text, secret, select'],
    ['without a name', { type: 'text' }, 'name: is missing'],
    ['with the name of what every object has', { type: 'text', name: 'constructor' }, 'name: is a reserved name'],
    [
      'with a name of two words',
      { type: 'text', name: 'a b' },
      'name: must be 1 to 64 letters, digits, "_", "." or "-", beginning with a letter',
    ],
    ['with a number as default', { type: 'text', name: 'a', default: 1 }, 'default: must be a string'],
    [
      'with a secret for everybody to read',
      { type: 'secret', name: 'a', default: 'x' },
      'default: must be left out: every client can read the default of an option',
    ],
    ['without choices', { type: 'select', name: 'a' }, 'choices: is missing'],
    ['with no choice', { ...select, choices: [] }, 'choices: must not be empty'],
    ['with a choice twice', { ...select, choices: ['s', 's'] }, 'choices: has a choice twice'],
    ['with a default that is no choice', { ...select, default: 'l' }, 'default: must be one of s, m'],
    ['with choices that it cannot use', { type: 'text', name: 'a', choices: ['s'] }, 'choices: unknown key'],
  ])('%s', (_, option, problem) => {
    expect(problemWith(withOption({ type: 'text', name: 'first' }, option))).toBe(`agents[0].options[1].${problem}`)
  })

  it('when another one has its name', () => {
    expect(problemWith(withOption(select, select))).toBe('agents[0].options[1].name: size occurs twice')
  })
})

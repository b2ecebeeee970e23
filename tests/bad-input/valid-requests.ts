import type { BadInput, Scene } from './bad-input.ts'

/** A request with every field that its route knows. What is bad about an input is what differs from one of these. */
export interface ValidRequest {
  readonly name: string
  readonly method: string
  readonly path: (scene: Scene) => string
  readonly headers?: (scene: Scene) => Readonly<Record<string, string>>
  readonly body?: (scene: Scene) => unknown
  readonly door?: BadInput['door']
}

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string', enum: ['a', 'b'] }, days: { type: 'integer', minimum: 1 } },
  required: ['city'],
  additionalProperties: false,
}

const TOOL = { name: 'weather', title: 'Weather', description: 'Tells the weather.' }
const TOOLS_V3 = [{ ...TOOL, parameters: PARAMETERS }]
const TOOLS_V1 = [{ ...TOOL, inputSchema: PARAMETERS }]
const IMAGE = { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' }

const AGENT = {
  name: 'scripted',
  tools: [{ name: 'echo', trust: true }, { name: 'boom' }],
  options: { language: 'German', model: 'b', apiKey: 'sk-given-0123456789' },
}

const SEED = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hello' },
  { role: 'user', content: [{ type: 'text', text: 'Look' }, IMAGE] },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', toolCallId: 'seed_1', name: 'weather', input: { city: 'a', days: 2 } },
      { type: 'tool_use', toolCallId: 'seed_2', name: 'weather', input: { city: 'b' } },
    ],
  },
  { role: 'tool', toolCallId: 'seed_1', content: [{ type: 'text', text: 'Rain' }] },
  { role: 'assistant', content: 'It rains.' },
]

const SCRIPT = 'say Hello\ncall c9 echo {"msg":"x"}\n---\nsay done'

const turn = (tools: unknown, stream: string) => (): unknown => ({
  messages: [{ role: 'user', content: SCRIPT }],
  stream,
  agent: AGENT,
  tools,
})

const blocks = (): unknown => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'say seen' }, IMAGE] }],
  stream: 'message',
})

const result = ({ waiting }: Scene): unknown => ({
  messages: [{ role: 'tool', toolCallId: waiting.toolCallId, content: [{ type: 'text', text: 'done' }, IMAGE] }],
  stream: 'delta',
})

const permission = ({ waiting }: Scene): unknown => ({
  messages: [{ role: 'tool_permission', toolCallId: waiting.toolCallId, granted: false, reason: 'Not now.' }],
  stream: 'none',
  agent: { name: 'scripted' },
})

const v3 = (rest = '') => `/aap/v3/sessions${rest}`
const own = ({ sessionId }: Scene): string => v3(`/${sessionId}/turns`)
const blade = ({ sessionId }: Scene, rest = '') => `/api/sessions/${sessionId}${rest}`
const ownV1 = ({ sessionId }: Scene): string => `/aap/v1/session/${sessionId}`

/** Those whose body says something. */
export const REQUESTS_WITH_BODY: readonly (ValidRequest & Pick<Required<ValidRequest>, 'body'>)[] = [
  {
    name: 'v3 create',
    method: 'POST',
    path: () => v3(),
    body: () => ({ agent: AGENT, messages: SEED, tools: TOOLS_V3 }),
  },
  { name: 'v3 turn', method: 'POST', path: own, body: turn(TOOLS_V3, 'delta') },
  { name: 'v3 turn with blocks', method: 'POST', path: own, body: blocks },
  { name: 'v3 result', method: 'POST', path: ({ waiting }) => v3(`/${waiting.sessionId}/turns`), body: result },
  { name: 'v3 permission', method: 'POST', path: ({ waiting }) => v3(`/${waiting.sessionId}/turns`), body: permission },
  {
    name: 'v1 create',
    method: 'PUT',
    path: () => '/aap/v1/session',
    body: () => ({
      agent: AGENT,
      messages: [...SEED, { role: 'user', content: SCRIPT }],
      tools: TOOLS_V1,
      stream: 'message',
    }),
  },
  { name: 'v1 turn', method: 'POST', path: ownV1, body: turn(TOOLS_V1, 'none') },
  { name: 'v1 turn with blocks', method: 'POST', path: ownV1, body: blocks },
  { name: 'v1 result', method: 'POST', path: ({ waiting }) => `/aap/v1/session/${waiting.sessionId}`, body: result },
  {
    name: 'v1 permission',
    method: 'POST',
    path: ({ waiting }) => `/aap/v1/session/${waiting.sessionId}`,
    body: permission,
  },
  {
    name: 'create key',
    method: 'POST',
    path: () => '/api/polylogue/keys',
    body: () => ({ name: 'laptop', user: 'local' }),
  },
  {
    name: 'create key as owner',
    method: 'POST',
    path: () => '/api/polylogue/keys',
    body: () => ({ name: 'laptop', user: 'anna' }),
    door: 'owner-socket',
  },
  {
    name: 'blade create',
    method: 'POST',
    path: () => '/api/sessions',
    body: () => ({
      intent: 'To do',
      solution_id: 'scripted',
      memory_enabled: true,
      is_persistent: false,
      disable_tools: ['Bash'],
      env: {},
    }),
  },
  { name: 'blade rename', method: 'PATCH', path: (scene) => blade(scene), body: () => ({ intent: 'Done' }) },
  { name: 'blade pin', method: 'PATCH', path: (scene) => blade(scene, '/pin'), body: () => ({ pinned: true }) },
  {
    name: 'blade memory',
    method: 'POST',
    path: () => '/api/memories',
    body: () => ({
      content: 'I like tea.',
      type: 'feedback',
      record_type: 'memory',
      topic: 'tea',
      write_reason: 'asked',
    }),
  },
  {
    name: 'blade memories at once',
    method: 'POST',
    path: () => '/api/memories/batch',
    body: () => ({ action: 'disable', ids: [1, 2, 3] }),
  },
  { name: 'blade key', method: 'POST', path: () => '/api/user/api-keys/', body: () => ({ name: 'laptop' }) },
  {
    name: 'sign in',
    method: 'POST',
    path: () => '/signin',
    headers: ({ host }) => ({ Origin: `http://${host}` }),
    body: () => ({ code: 'x'.repeat(32) }),
  },
]

/** Those whose address says it all: a segment or a query parameter is what can be wrong. */
export interface AddressedRequest extends ValidRequest {
  readonly query?: Readonly<Record<string, string>>
}

const id = ({ sessionId }: Scene): string => sessionId

export const ADDRESSED_REQUESTS: readonly AddressedRequest[] = [
  { name: 'v3 meta', method: 'GET', path: () => '/aap/v3/meta' },
  {
    name: 'v3 list',
    method: 'GET',
    path: () => v3(),
    query: { after: 'MDE5OGMwZGUtN2ExMS03MDAwLTgwMDAtMDAwMDAwMDAwMDAw' },
  },
  { name: 'v3 get', method: 'GET', path: (scene) => v3(`/${id(scene)}`) },
  { name: 'v3 history', method: 'GET', path: (scene) => v3(`/${id(scene)}/history`), query: { type: 'full' } },
  {
    name: 'v3 events',
    method: 'GET',
    path: (scene) => v3(`/${id(scene)}/events`),
    query: { after: '1', stream: 'message', follow: '0' },
  },
  { name: 'v3 cancel', method: 'POST', path: (scene) => v3(`/${id(scene)}/cancel`) },
  { name: 'v3 delete', method: 'DELETE', path: () => v3('/0198c0de-7a11-7000-8000-000000000000') },
  { name: 'v1 meta', method: 'GET', path: () => '/aap/v1/meta' },
  {
    name: 'v1 list',
    method: 'GET',
    path: () => '/aap/v1/sessions',
    query: { after: 'MDE5OGMwZGUtN2ExMS03MDAwLTgwMDAtMDAwMDAwMDAwMDAw' },
  },
  { name: 'v1 get', method: 'GET', path: (scene) => `/aap/v1/session/${id(scene)}`, query: { history: 'compacted' } },
  {
    name: 'v1 events',
    method: 'GET',
    path: (scene) => `/aap/v1/session/${id(scene)}/events`,
    query: { after: '1.0.0', stream: 'delta', follow: 'false' },
  },
  { name: 'v1 cancel', method: 'POST', path: (scene) => `/aap/v1/session/${id(scene)}/cancel` },
  { name: 'v1 delete', method: 'DELETE', path: () => '/aap/v1/session/0198c0de-7a11-7000-8000-000000000000' },
  { name: 'keys', method: 'GET', path: () => '/api/polylogue/keys' },
  { name: 'revoke key', method: 'DELETE', path: () => '/api/polylogue/keys/key_000000000000000000000000' },
  {
    name: 'sessions',
    method: 'GET',
    path: () => '/api/polylogue/sessions',
    query: { before: '0198c0de-7a11-7000-8000-000000000000', limit: '10' },
  },
  { name: 'session', method: 'GET', path: (scene) => `/api/polylogue/sessions/${id(scene)}` },
  {
    name: 'session as owner',
    method: 'GET',
    path: (scene) => `/api/polylogue/sessions/${id(scene)}`,
    door: 'owner-socket',
  },
  {
    name: 'blade sessions',
    method: 'GET',
    path: () => '/api/sessions',
    query: { q: 'hello', limit: '10', offset: '0' },
  },
  { name: 'blade session', method: 'GET', path: (scene) => blade(scene) },
  { name: 'blade messages', method: 'GET', path: (scene) => blade(scene, '/messages') },
  { name: 'blade compact', method: 'POST', path: (scene) => blade(scene, '/compact') },
  {
    name: 'blade memories',
    method: 'GET',
    path: () => '/api/memories',
    query: { keyword: 'tea', type: 'feedback', status: 'enabled', limit: '5', offset: '0' },
  },
  { name: 'blade one memory', method: 'GET', path: () => '/api/memories/1' },
  { name: 'blade roles', method: 'GET', path: () => '/api/solutions/scripted/biz-roles', query: { user_id: 'local' } },
  { name: 'blade unbuilt', method: 'GET', path: (scene) => blade(scene, '/files/a/b') },
  { name: 'blade document', method: 'GET', path: () => '/openapi.json' },
  { name: 'status', method: 'GET', path: () => '/api/polylogue/status' },
  { name: 'me', method: 'GET', path: () => '/api/polylogue/me' },
  { name: 'metrics', method: 'GET', path: () => '/metrics' },
  { name: 'health', method: 'GET', path: () => '/healthz' },
  { name: 'readiness', method: 'GET', path: () => '/readyz' },
  { name: 'page', method: 'GET', path: () => '/' },
  { name: 'icon of the page', method: 'GET', path: () => '/icon.svg' },
  { name: 'sign out', method: 'POST', path: () => '/signout', headers: () => ({ 'Content-Type': 'application/json' }) },
]

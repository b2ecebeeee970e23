// Every request of the page. The sign-in cookie goes along by itself, to our own origin only.

/**
 * @typedef {import('./transcript.js').Message} Message
 * @typedef {import('./transcript.js').Answer} Answer
 * @typedef {{ name: string, title?: string, description?: string }} ToolSpec
 * @typedef {{ name: string, trust?: boolean }} ToolRef
 * @typedef {{ name: string, title?: string, version: string, description?: string, tools?: ToolSpec[],
 *   capabilities?: { stream?: Record<string, object> } }} Agent
 * @typedef {{ sessionId: string, agent: { name: string, tools?: ToolRef[] } }} Session
 * @typedef {{ sessionId: string, title?: string, agent: string, status: 'idle' | 'running' | 'waiting',
 *   preset: string, lastOutcome?: string, updatedAt: number }} SessionSummary
 * @typedef {{ session: SessionSummary, messages: Message[], events: number }} SessionRecord
 * @typedef {{ version: string, phase: string, agents: string[], defaultAgent: string,
 *   demoAgents?: string[], doors: string[] }} ServerStatus
 * @typedef {import('./call-log.js').LogEntry} LogEntry
 * @typedef {{ role: 'tool_permission', toolCallId: string, granted: boolean }
 *   | { role: 'tool', toolCallId: string, content: string }} CallAnswer
 * @typedef {{ role: 'user', content: string } | CallAnswer} Outgoing
 * @typedef {{ preset?: string, planning: boolean }} WantedMode
 * @typedef {{ messages: Outgoing[], stream: string, agent?: { tools: ToolRef[] } }} TurnRequest
 * @typedef {{ method?: string, body?: unknown, signal?: AbortSignal, headers?: Record<string, string> }} RequestOptions
 */

/** The server said no. `status` 401 means that this browser is signed out. */
export class Refused extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message)
    this.name = 'Refused'
    this.status = status
  }
}

/** @param {string} sessionId */
const ownPath = (sessionId) => `api/polylogue/sessions/${encodeURIComponent(sessionId)}`

/** @param {string} sessionId */
const sessionPath = (sessionId) => `aap/v3/sessions/${encodeURIComponent(sessionId)}`

/** @returns {Promise<Agent[]>} */
export async function readAgents() {
  /** @type {{ agents: Agent[] }} */
  const meta = await requestJson('aap/v3/meta')
  return meta.agents
}

/** @param {string} sessionId @returns {Promise<Session>} */
export const readSession = (sessionId) => requestJson(sessionPath(sessionId))

/** @returns {Promise<SessionSummary[]>} the newest ones */
export async function listSessions() {
  /** @type {{ sessions: SessionSummary[] }} */
  const page = await requestJson('api/polylogue/sessions?limit=50')
  return page.sessions
}

/**
 * A session with all that was said, and the cursor at which that ends. Read again until nothing was recorded in
 * between: text and cursor must tell of the same moment, or an event would be lost or shown twice.
 * @param {string} sessionId
 * @returns {Promise<SessionRecord>}
 */
export async function readRecord(sessionId) {
  const path = ownPath(sessionId)
  /** @type {SessionRecord} */
  let earlier = await requestJson(path)
  for (;;) {
    /** @type {SessionRecord} */
    const record = await requestJson(path)
    if (record.events === earlier.events) return record
    earlier = record
  }
}

/** @returns {Promise<ServerStatus>} */
export const readStatus = () => requestJson('api/polylogue/status')

/**
 * With all tools of the agent, judged by the mode; or with those that are listed, as any client of AAP does it.
 * @param {string} name
 * @param {ToolRef[] | undefined} tools
 * @param {WantedMode} mode
 * @returns {Promise<{ sessionId: string, preset: string }>}
 */
export async function createSession(name, tools, { preset, planning }) {
  const [path, body] = tools
    ? ['aap/v3/sessions', { agent: { name, tools } }]
    : ['api/polylogue/sessions', { agent: name, preset }]
  /** @type {{ sessionId: string }} */
  const { sessionId } = await requestJson(path, { method: 'POST', body })
  const chosen = await changeMode(sessionId, tools && preset !== undefined ? { preset } : {})
  return { sessionId, ...(planning ? await changeMode(sessionId, { planning }) : chosen) }
}

/**
 * @param {string} sessionId
 * @param {import('./mode-switch.js').ModeChange | {}} change
 * @returns {Promise<{ preset: string }>} what the mode is then
 */
export const changeMode = (sessionId, change) => requestJson(ownPath(sessionId), { method: 'PATCH', body: change })

/** Stops one call; the turn goes on. @param {string} sessionId @param {string} toolCallId */
export async function cancelCall(sessionId, toolCallId) {
  await request(`${ownPath(sessionId)}/calls/${encodeURIComponent(toolCallId)}/cancel`, { method: 'POST', body: {} })
}

/**
 * The log after an entry, page by page.
 * @param {string} sessionId
 * @param {number} after
 * @returns {AsyncGenerator<LogEntry[]>}
 */
export async function* readLog(sessionId, after) {
  for (let next = after; ;) {
    /** @type {{ events: LogEntry[], next?: number }} */
    const page = await requestJson(`${ownPath(sessionId)}/events?after=${next}&limit=500`)
    yield page.events
    if (page.next === undefined) return
    next = page.next
  }
}

/**
 * The same key finds the turn that a lost request began.
 * @param {string} sessionId
 * @param {TurnRequest} body
 * @param {{ key: string, signal: AbortSignal }} options
 */
export function openTurn(sessionId, body, { key, signal }) {
  return request(`${sessionPath(sessionId)}/turns`, {
    method: 'POST',
    body,
    signal,
    headers: { 'idempotency-key': key },
  })
}

/** @param {string} sessionId @param {string} cursor @param {AbortSignal} signal */
export function openEvents(sessionId, cursor, signal) {
  return request(`${sessionPath(sessionId)}/events?after=${encodeURIComponent(cursor)}`, { signal })
}

/** @param {string} sessionId */
export async function cancelTurn(sessionId) {
  await request(`${sessionPath(sessionId)}/cancel`, { method: 'POST', body: {} })
}

/** @template T @param {string} path @param {RequestOptions} [options] @returns {Promise<T>} */
export async function requestJson(path, options) {
  const response = await request(path, options)
  return /** @type {T} */ (await response.json())
}

/** @param {string} path @param {RequestOptions} [options] */
export async function request(path, { method = 'GET', body, signal, headers } = {}) {
  const response = await fetch(path, {
    method,
    signal: signal ?? null,
    credentials: 'same-origin',
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Refused(response.status, await readRefusal(response))
  return response
}

/** @param {Response} response */
async function readRefusal(response) {
  const body = parseJson(await response.text())
  const isExplained = typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
  return isExplained ? String(body.error) : `The server answered ${response.status}.`
}

/** @param {string} text @returns {unknown} */
export function parseJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

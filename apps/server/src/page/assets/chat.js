// One session on the page: what was said, what is running, and the stream that tells of it.
import {
  Refused,
  cancelTurn,
  createSession,
  openEvents,
  openTurn,
  parseJson,
  readLog,
  readRecord,
  readSession,
} from './api.js'
import { CallLog } from './call-log.js'
import { readSse } from './sse.js'
import { Transcript } from './transcript.js'

/**
 * @typedef {import('./api.js').Agent} Agent
 * @typedef {import('./api.js').CallAnswer} CallAnswer
 * @typedef {import('./api.js').Outgoing} Outgoing
 * @typedef {import('./api.js').ToolRef} ToolRef
 * @typedef {import('./api.js').TurnRequest} TurnRequest
 * @typedef {import('./api.js').WantedMode} WantedMode
 * @typedef {import('./transcript.js').Answer} Answer
 * @typedef {import('./transcript.js').TurnEvent} TurnEvent
 * @typedef {{ stopReason: string, messages: Answer[], cancelled?: boolean, error?: { message: string } }} WholeAnswer
 */

const MOST_ATTEMPTS_IN_SILENCE = 20
const LONGEST_PAUSE_MS = 5_000
/** As far back as is read what the log says of calls. */
const LOG_ENTRIES = 5_000
/** What the history will say of a question that was declined. */
const DECLINED = 'Tool call denied'

export class Chat {
  transcript = new Transcript()
  calls = new CallLog()
  /** @type {string | undefined} */
  sessionId
  /** The name of the session's agent. */
  agentName = ''
  /** As the session has them now. @type {ToolRef[]} */
  tools = []
  /** The mode of the session. @type {string | undefined} */
  preset
  isRunning = false
  isLost = false
  /** Set by every change; what is shown follows it. */
  onChange = () => {}

  #cursor = ''
  #left = new AbortController()

  /** Shows a session as it stands, and follows it if a turn is running. @param {string} sessionId */
  static async open(sessionId) {
    const [{ agent }, record] = await Promise.all([readSession(sessionId), readRecord(sessionId)])
    const chat = new Chat()
    chat.sessionId = sessionId
    chat.agentName = agent.name
    chat.tools = agent.tools ?? []
    chat.transcript = new Transcript(record.messages)
    chat.preset = record.session.preset
    chat.calls.seq = Math.max(0, record.events - LOG_ENTRIES)
    chat.#cursor = String(record.events)
    chat.isRunning = record.session.status === 'running'
    await chat.#readLog()
    return chat
  }

  /** Goes on with a turn that was running when the session was opened. */
  async resume() {
    if (this.isRunning) await this.#follow(() => this.#openEvents())
  }

  /**
   * @param {Agent} agent
   * @param {string} text
   * @param {{ tools: ToolRef[] | undefined, mode: WantedMode }} setup `mode` is that of a new session
   */
  async say(agent, text, { tools, mode }) {
    const isNew = this.sessionId === undefined
    if (isNew) Object.assign(this, await createSession(agent.name, tools, mode))
    this.agentName = agent.name
    const hasOtherTools = !isNew && tools !== undefined && JSON.stringify(tools) !== JSON.stringify(this.tools)
    this.transcript.addUser(text)
    await this.#post(agent, [{ role: 'user', content: text }], hasOtherTools ? tools : undefined)
    this.tools = tools ?? this.tools
  }

  /** @param {Agent} agent @param {CallAnswer[]} answers */
  async answer(agent, answers) {
    const own = answers.filter(({ toolCallId }) => this.calls.find(toolCallId)?.route === 'question')
    for (const answer of own) {
      this.transcript.settle(answer.toolCallId, answer.role === 'tool' ? answer.content : DECLINED)
    }
    try {
      await this.#post(agent, answers)
    } catch (error) {
      if (error instanceof Refused) for (const { toolCallId } of own) this.transcript.reopen(toolCallId)
      throw error
    }
  }

  async stop() {
    if (this.sessionId !== undefined) await cancelTurn(this.sessionId)
  }

  /** Stops looking. The turn itself goes on. */
  leave() {
    this.onChange = () => {}
    this.#left.abort()
  }

  /** @param {Agent} agent @param {Outgoing[]} messages @param {ToolRef[]} [tools] */
  async #post(agent, messages, tools) {
    const streams = agent.capabilities?.stream ?? {}
    const stream = streams['delta'] ? 'delta' : streams['message'] ? 'message' : 'none'
    /** @type {TurnRequest} */
    const body = { messages, stream, ...(tools && { agent: { tools } }) }
    const key = crypto.randomUUID()
    this.#cursor = ''
    this.isRunning = true
    this.onChange()
    await this.#follow(() => {
      if (this.#cursor !== '') return this.#openEvents()
      return openTurn(this.#session, body, { key, signal: this.#left.signal })
    })
  }

  get #session() {
    if (this.sessionId === undefined) throw new Error('There is no session yet.')
    return this.sessionId
  }

  #openEvents() {
    return openEvents(this.#session, this.#cursor, this.#left.signal)
  }

  /**
   * Shows the turn to its end. A stream that breaks is opened again where it broke; the server keeps the turn.
   * @param {() => Promise<Response>} open
   */
  async #follow(open) {
    try {
      for (let silent = 0; silent < MOST_ATTEMPTS_IN_SILENCE; silent += 1) {
        const outcome = await this.#receive(open)
        if (this.#left.signal.aborted) return
        if (outcome === 'ended') return await this.#readLog()
        if (outcome === 'heard') silent = 0
        this.isLost = true
        this.onChange()
        await pause(Math.min(250 * 2 ** silent, LONGEST_PAUSE_MS))
      }
      this.transcript.addNote('The connection was lost. Reload the page to see how it went on.')
    } finally {
      this.isRunning = false
      this.isLost = false
      this.onChange()
    }
  }

  /** What the log says of calls that we do not know yet. */
  async #readLog() {
    for await (const entries of readLog(this.#session, this.calls.seq)) this.calls.take(entries)
  }

  /**
   * @param {() => Promise<Response>} open
   * @returns {Promise<'ended' | 'heard' | 'silent'>}
   */
  async #receive(open) {
    let heard = false
    try {
      const response = await open()
      if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
        this.#takeWhole(/** @type {WholeAnswer} */ (await response.json()))
        return 'ended'
      }
      for await (const { id, event, data } of readSse(chunksOf(response))) {
        heard = true
        this.isLost = false
        this.#cursor = id || this.#cursor
        const turnEvent = /** @type {TurnEvent} */ ({ event, .../** @type {object} */ (parseJson(data)) })
        this.transcript.apply(turnEvent, blockOf(id))
        if (turnEvent.event === 'turn_stop') return 'ended'
        if (turnEvent.event === 'tool_call' && !this.calls.find(turnEvent.toolCallId)) await this.#readLog()
        this.onChange()
      }
    } catch (error) {
      if (error instanceof Refused && error.status !== 503) throw error
      if (!(error instanceof Refused || error instanceof TypeError || isAbort(error))) throw error
    }
    return heard ? 'heard' : 'silent'
  }

  /** @param {WholeAnswer} answer */
  #takeWhole({ messages, ...stop }) {
    this.transcript.addAnswers(messages)
    this.transcript.apply({ event: 'turn_stop', ...stop })
  }
}

/**
 * Our ids of deltas are `<step>.<block>.<offset>`. A step that was interrupted and asked again tells by this alone
 * where its text ends.
 * @param {string} id
 */
function blockOf(id) {
  return /^\d+\.\d+(?=\.)/.exec(id)?.[0] ?? ''
}

/** @param {Response} response */
async function* chunksOf(response) {
  const reader = response.body?.getReader()
  if (!reader) return
  // Not every browser can iterate over a body yet.
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

/** @param {unknown} error */
function isAbort(error) {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/**
 * @typedef {import('./api.js').Agent} Agent
 * @typedef {import('./api.js').CallAnswer} CallAnswer
 * @typedef {import('./call-view.js').CallState} CallState
 * @typedef {import('./transcript.js').CallItem} CallItem
 * @typedef {Pick<import('./chat.js').Chat, 'isRunning' | 'calls' | 'transcript'>} Calls
 */

/** The answers to calls that wait; sent together when the last one is given. */
export class CallAnswers {
  /** @type {Map<string, CallAnswer>} */
  #given = new Map()

  clear() {
    this.#given.clear()
  }

  /**
   * All answers, once none is missing.
   * @param {CallAnswer} answer
   * @param {Calls} chat
   * @param {Agent | undefined} agent
   * @returns {CallAnswer[] | undefined}
   */
  give(answer, chat, agent) {
    this.#given.set(answer.toolCallId, answer)
    const asked = chat.transcript.openCalls.filter((call) => {
      const type = typeOf(call, chat, agent)
      return type === 'asks' || type === 'question'
    })
    const answers = asked.map(({ toolCallId }) => this.#given.get(toolCallId)).filter((one) => one !== undefined)
    if (answers.length < asked.length) return undefined
    this.clear()
    return answers
  }

  /**
   * @param {CallItem} call
   * @param {Calls} chat
   * @param {Agent | undefined} agent
   * @returns {CallState}
   */
  stateOf(call, chat, agent) {
    const answer = this.#given.get(call.toolCallId)
    return { type: typeOf(call, chat, agent), chosen: answer && wordFor(answer) }
  }
}

/**
 * @param {CallItem} call
 * @param {Calls} chat
 * @param {Agent | undefined} agent
 * @returns {CallState['type']}
 */
function typeOf({ toolCallId, name }, { isRunning, calls }, agent) {
  if (isRunning) return 'running'
  const logged = calls.find(toolCallId)
  // Of a history that a client brought along, the log knows no calls; a tool that the agent has not is the client's.
  if (!logged) return agent?.tools?.some((tool) => tool.name === name) ? 'asks' : 'elsewhere'
  if (!calls.isWaiting(toolCallId)) return 'paused'
  if (logged.route === 'question') return 'question'
  return logged.route === 'client' ? 'elsewhere' : 'asks'
}

/** @param {CallAnswer} answer */
function wordFor(answer) {
  if (answer.role === 'tool') return 'answered'
  return answer.granted ? 'allowed' : 'denied'
}

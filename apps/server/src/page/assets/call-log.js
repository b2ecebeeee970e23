// What the log of a session says of its calls: who asked, why somebody must answer, what would change. A fold, no DOM.

/**
 * @typedef {{ path: string, oldText?: string, newText: string }} FileDiff
 * @typedef {{ agent: string, description: string }} SubAgent
 *
 * @typedef {object} LoggedCall
 * @property {string} route who settles it: `server`, `client`, `question` or `agent`
 * @property {string} [loopId] of a sub-agent
 * @property {string} [kind] of its tool: `plan`, `execute`, …
 * @property {readonly FileDiff[]} diffs
 * @property {string} [reason] why it was asked for
 * @property {boolean} isAsked an approval was asked for and is not given yet
 * @property {boolean} isSettled
 *
 * @typedef {{ seq: number, event: { type: string, [field: string]: unknown } }} LogEntry
 * @typedef {{ toolCallId: string, loopId?: string, reason?: string }} AboutCall
 * @typedef {{ blocks: { type: string, toolCallId: string }[], routes: Record<string, string>, loopId?: string,
 *   kinds?: Record<string, string>, inspections?: Record<string, { preview?: { diffs?: FileDiff[] } }> }} Answered
 */

export class CallLog {
  /** The last entry that was taken. */
  seq = 0
  /** @type {Map<string, LoggedCall>} */
  #calls = new Map()
  /** @type {Map<string, SubAgent>} */
  #loops = new Map()

  /** @param {readonly LogEntry[]} entries in the order of the log; what was taken before is passed over */
  take(entries) {
    for (const { seq, event } of entries) {
      if (seq <= this.seq) continue
      this.seq = seq
      this.#apply(event)
    }
  }

  /** @param {string} toolCallId */
  find(toolCallId) {
    return this.#calls.get(toolCallId)
  }

  /** Whether the turn rests until somebody answers this call. @param {string} toolCallId */
  isWaiting(toolCallId) {
    const call = this.#calls.get(toolCallId)
    if (call === undefined || call.isSettled) return false
    return call.isAsked || call.route === 'question' || call.route === 'client'
  }

  /** Whose call it is, unless the agent's own. @param {string} toolCallId @returns {SubAgent | undefined} */
  subAgentOf(toolCallId) {
    const loopId = this.#calls.get(toolCallId)?.loopId
    return loopId === undefined ? undefined : (this.#loops.get(loopId) ?? { agent: '', description: '' })
  }

  /** @param {LogEntry['event']} event */
  #apply(event) {
    switch (event.type) {
      case 'step.answered':
        this.#addCalls(/** @type {Answered} */ (/** @type {unknown} */ (event)))
        break
      case 'loop.started': {
        const { loopId, agent, description } = event
        this.#loops.set(String(loopId), { agent: String(agent), description: String(description) })
        break
      }
      case 'approval.requested': {
        const { reason } = /** @type {AboutCall} */ (/** @type {unknown} */ (event))
        this.#change(event, { isAsked: true, ...(reason !== undefined && { reason }) })
        break
      }
      case 'approval.resolved':
        this.#change(event, { isAsked: false })
        break
      case 'tool-call.settled':
        this.#change(event, { isAsked: false, isSettled: true })
        break
    }
  }

  /** @param {Answered} answered */
  #addCalls({ blocks, routes, kinds = {}, loopId, inspections = {} }) {
    for (const { type, toolCallId } of blocks) {
      if (type !== 'tool-call') continue
      this.#calls.set(toolCallId, {
        route: routes[toolCallId] ?? 'server',
        ...(loopId !== undefined && { loopId }),
        ...(kinds[toolCallId] !== undefined && { kind: kinds[toolCallId] }),
        diffs: inspections[toolCallId]?.preview?.diffs ?? [],
        isAsked: false,
        isSettled: false,
      })
    }
  }

  /** @param {LogEntry['event']} event @param {Partial<LoggedCall>} changes */
  #change({ toolCallId }, changes) {
    const call = this.#calls.get(String(toolCallId))
    if (call) Object.assign(call, changes)
  }
}

/** Why a call must wait, in words. @param {string | undefined} reason as it was recorded */
export function describeReason(reason) {
  if (reason === undefined) return ''
  if (reason.startsWith('mode-preset')) return 'The mode of this session asks before such a call.'
  if (reason.startsWith('not-trusted')) return 'The tools of this session were listed, and this one is not trusted.'
  if (reason.startsWith('user-rule')) return 'One of your rules says that you are to be asked.'
  if (reason === 'not-understood') return 'Not all of this command could be understood, so look closely.'
  return reason
}

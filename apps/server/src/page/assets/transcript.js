// What the page shows of a session, as a fold: history first, then the events of a turn. No DOM here.

/**
 * @typedef {{ kind: 'user' | 'system' | 'text' | 'thinking' | 'note', text: string }} TextItem
 * @typedef {{ kind: 'call', toolCallId: string, name: string, input: unknown, result?: string }} CallItem
 * @typedef {TextItem | CallItem} Item
 *
 * @typedef {{ type: 'text', text: string } | { type: 'thinking', text: string } | { type: 'image' }
 *   | { type: 'tool-call', toolCallId: string, name: string, input: unknown }} Part
 * @typedef {{ role: 'system' | 'user' | 'assistant' | 'tool', toolCallId?: string, content: string | Part[] }} Message
 *
 * @typedef {{ type: 'text', text: string } | { type: 'thinking', thinking: string } | { type: 'image', url: string }
 *   | { type: 'tool_use', toolCallId: string, name: string, input: unknown }} Block
 * @typedef {string | Block[]} Content
 * @typedef {{ role: 'assistant', content: Content } | { role: 'tool', toolCallId: string, content: Content }} Answer
 *
 * @typedef {{ event: 'turn_start' } | { event: 'resync' }
 *   | { event: 'text_delta', delta: string } | { event: 'thinking_delta', delta: string }
 *   | { event: 'text', text: string } | { event: 'thinking', thinking: string }
 *   | { event: 'tool_call', toolCallId: string, name: string, input: unknown }
 *   | { event: 'tool_result', toolCallId: string, content: Content }
 *   | { event: 'turn_stop', stopReason: string, cancelled?: boolean, error?: { message: string } }} TurnEvent
 */

export class Transcript {
  /** @type {Item[]} */
  items = []
  /** Where the items of the step that is being streamed begin. */
  #stepStart = 0
  /** Whether the next delta of the same block belongs to the last item. */
  #isOpen = false
  #block = ''

  /** @param {readonly Message[]} messages */
  constructor(messages = []) {
    for (const message of messages) this.#addMessage(message)
    this.#stepStart = this.items.length
  }

  /** @returns {CallItem[]} the calls without a result */
  get openCalls() {
    return this.items.filter((item) => item.kind === 'call').filter((call) => call.result === undefined)
  }

  /** What the user answered; nobody else tells us. @param {string} toolCallId @param {string} result */
  settle(toolCallId, result) {
    this.#settle(toolCallId, result)
  }

  /** The answer was not taken. @param {string} toolCallId */
  reopen(toolCallId) {
    const call = this.#findCall(toolCallId)
    if (call) delete call.result
  }

  /** @param {string} text */
  addUser(text) {
    this.#add({ kind: 'user', text })
  }

  /** @param {string} text */
  addNote(text) {
    this.#add({ kind: 'note', text })
  }

  /**
   * @param {TurnEvent} event
   * @param {string} [block] which block of which step a delta belongs to, where that is known
   */
  apply(event, block = '') {
    if (block !== this.#block) this.#isOpen = false
    this.#block = block
    switch (event.event) {
      case 'turn_start':
        this.#stepStart = this.items.length
        this.#isOpen = false
        break
      case 'text_delta':
        this.#append('text', event.delta)
        break
      case 'thinking_delta':
        this.#append('thinking', event.delta)
        break
      case 'text':
        this.#add({ kind: 'text', text: event.text })
        break
      case 'thinking':
        this.#add({ kind: 'thinking', text: event.thinking })
        break
      case 'tool_call':
        this.#add({ kind: 'call', toolCallId: event.toolCallId, name: event.name, input: event.input })
        break
      case 'tool_result':
        this.#settle(event.toolCallId, textOf(event.content))
        this.#stepStart = this.items.length
        break
      case 'resync':
        // What we saw of this step did not survive; it is told again from its start.
        this.items.length = this.#stepStart
        this.#isOpen = false
        break
      case 'turn_stop':
        this.#isOpen = false
        this.#addNoteOn(event)
        break
    }
  }

  /**
   * What a turn answered that did not stream.
   * @param {readonly Answer[]} answers
   */
  addAnswers(answers) {
    for (const answer of answers) {
      if (answer.role === 'tool') this.#settle(answer.toolCallId, textOf(answer.content))
      else for (const part of toParts(answer.content)) this.#addPart(part)
    }
  }

  /** @param {Message} message */
  #addMessage({ role, toolCallId, content }) {
    if (role === 'tool') this.#settle(toolCallId ?? '', textOf(content))
    else if (role === 'assistant') for (const part of toParts(content)) this.#addPart(part)
    else this.#add({ kind: role, text: textOf(content) })
  }

  /** @param {Part | Block} part */
  #addPart(part) {
    if (part.type === 'text') this.#add({ kind: 'text', text: part.text })
    else if (part.type === 'thinking') this.#add({ kind: 'thinking', text: 'text' in part ? part.text : part.thinking })
    else if (part.type !== 'image') {
      this.#add({ kind: 'call', toolCallId: part.toolCallId, name: part.name, input: part.input })
    }
  }

  /** @param {Extract<TurnEvent, { event: 'turn_stop' }>} stop */
  #addNoteOn({ stopReason, cancelled, error }) {
    if (stopReason === 'max_tokens') this.addNote('Cut off at the token limit of the model.')
    else if (stopReason === 'refusal') this.addNote('The model declined to answer.')
    else if (cancelled) this.addNote('Stopped.')
    else if (stopReason === 'error') this.addNote(error ? `The turn failed: ${error.message}` : 'The turn failed.')
  }

  /** @param {Item} item */
  #add(item) {
    this.items.push(item)
    this.#isOpen = false
  }

  /** @param {'text' | 'thinking'} kind @param {string} delta */
  #append(kind, delta) {
    const last = this.items.at(-1)
    if (this.#isOpen && last?.kind === kind) last.text += delta
    else {
      this.#add({ kind, text: delta })
      this.#isOpen = true
    }
  }

  /** @param {string} toolCallId @param {string} result */
  #settle(toolCallId, result) {
    const call = this.#findCall(toolCallId)
    if (call) call.result = result
    this.#isOpen = false
  }

  /** @param {string} toolCallId @returns {CallItem | undefined} */
  #findCall(toolCallId) {
    return this.items.filter((item) => item.kind === 'call').findLast((call) => call.toolCallId === toolCallId)
  }
}

/**
 * @param {string | (Part | Block)[]} content
 * @returns {(Part | Block)[]}
 */
function toParts(content) {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

/** @param {string | (Part | Block)[]} content */
function textOf(content) {
  return toParts(content)
    .map((part) => (part.type === 'text' ? part.text : part.type === 'image' ? '[image]' : ''))
    .join('')
}

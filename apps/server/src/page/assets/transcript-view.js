import { element } from './element.js'

/**
 * @typedef {import('./transcript.js').Item} Item
 * @typedef {import('./transcript.js').CallItem} CallItem
 *
 * @typedef {object} CallState what may be done about a call without a result
 * @property {'running' | 'asks' | 'elsewhere'} type
 * @property {boolean | undefined} chosen the answer that was given but not sent yet
 *
 * @typedef {object} TranscriptActions
 * @property {(call: CallItem) => CallState} stateOf
 * @property {(call: CallItem, granted: boolean) => void} choose
 */

const LONGEST_PREVIEW = 200

/** Draws the items of a transcript into a list. Text only ever grows, so nothing is drawn twice. */
export class TranscriptView {
  #list
  #actions
  /** @type {{ item: Item, node: HTMLElement, draw: () => void }[]} */
  #drawn = []

  /** @param {HTMLElement} list @param {TranscriptActions} actions */
  constructor(list, actions) {
    this.#list = list
    this.#actions = actions
  }

  /** @param {readonly Item[]} items */
  show(items) {
    const wasAtEnd = isAtEnd(this.#list)
    const same = this.#drawn.findIndex(({ item }, index) => items[index] !== item)
    for (const { node } of same === -1 ? [] : this.#drawn.splice(same)) node.remove()
    for (const { draw } of this.#drawn) draw()
    for (const item of items.slice(this.#drawn.length)) {
      const drawn = item.kind === 'call' ? this.#createCall(item) : createText(item)
      this.#drawn.push({ item, ...drawn })
      this.#list.append(drawn.node)
    }
    if (wasAtEnd) this.#list.scrollTop = this.#list.scrollHeight
  }

  /** @param {CallItem} call */
  #createCall(call) {
    const badge = element('span', { className: 'badge' })
    const preview = element('span', { className: 'preview quiet' })
    const allow = element(
      'button',
      { type: 'button', className: 'primary', onclick: () => this.#actions.choose(call, true) },
      'Allow',
    )
    const deny = element('button', { type: 'button', onclick: () => this.#actions.choose(call, false) }, 'Deny')
    const answers = element('div', { className: 'answers' }, allow, deny)
    const result = element('pre', { className: 'result' })
    const details = element(
      'details',
      {},
      element('summary', {}, element('span', { className: 'tool' }, spellOut(call.name)), preview, badge),
      element('pre', { className: 'input' }, spellOut(JSON.stringify(call.input, undefined, 2))),
      result,
    )
    const node = element('li', { className: 'call' }, details, answers)
    node.dataset['call'] = call.toolCallId

    let shown = ''
    const draw = () => {
      const state = call.result === undefined ? this.#actions.stateOf(call) : undefined
      const now = state ? `${state.type} ${state.chosen}` : 'done'
      if (now === shown) return
      shown = now
      node.dataset['state'] = state?.type ?? 'done'
      badge.textContent = state ? labelOf(state) : 'done'
      answers.hidden = state?.type !== 'asks' || state.chosen !== undefined
      result.hidden = call.result === undefined
      result.textContent = call.result ?? ''
      preview.textContent = (call.result ?? '').slice(0, LONGEST_PREVIEW)
      // Whoever decides must see all of what would run.
      if (state?.type === 'asks') details.open = true
    }
    draw()
    return { node, draw }
  }
}

/** @param {import('./transcript.js').TextItem} item */
function createText(item) {
  const text = document.createTextNode('')
  const draw = () => {
    if (item.text.length > text.length) text.appendData(item.text.slice(text.length))
  }
  draw()
  if (item.kind === 'user') return { node: element('li', { className: 'user' }, element('span', {}, text)), draw }
  if (item.kind !== 'thinking') return { node: element('li', { className: item.kind }, text), draw }
  const details = element('details', { open: true }, element('summary', {}, 'Thinking'), element('p', {}, text))
  return { node: element('li', { className: 'thinking' }, details), draw }
}

/** @param {CallState} state */
function labelOf({ type, chosen }) {
  if (type === 'running') return 'running'
  if (type === 'elsewhere') return 'waits for its own client'
  if (chosen === undefined) return 'wants your approval'
  return chosen ? 'allowed' : 'denied'
}

/** @param {HTMLElement} list */
function isAtEnd(list) {
  return list.scrollHeight - list.scrollTop - list.clientHeight < 80
}

/**
 * What would run must read as it runs: characters that turn the direction of text, or cannot be seen, are written out.
 * @param {string} text
 */
function spellOut(text) {
  return text.replace(
    /[\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

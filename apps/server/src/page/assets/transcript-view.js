import { createCallView } from './call-view.js'
import { element } from './element.js'

/**
 * @typedef {import('./transcript.js').Item} Item
 * @typedef {import('./call-view.js').CallActions} CallActions
 */

/** Draws the items of a transcript into a list. Text only ever grows, so nothing is drawn twice. */
export class TranscriptView {
  #list
  #actions
  /** @type {{ item: Item, node: HTMLElement, draw: () => void }[]} */
  #drawn = []

  /** @param {HTMLElement} list @param {CallActions} actions */
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
      const drawn = item.kind === 'call' ? createCallView(item, this.#actions) : createText(item)
      this.#drawn.push({ item, ...drawn })
      this.#list.append(drawn.node)
    }
    if (wasAtEnd) this.#list.scrollTop = this.#list.scrollHeight
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

/** @param {HTMLElement} list */
function isAtEnd(list) {
  return list.scrollHeight - list.scrollTop - list.clientHeight < 80
}

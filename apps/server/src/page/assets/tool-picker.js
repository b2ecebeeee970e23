import { element } from './element.js'

/**
 * @typedef {import('./api.js').ToolSpec} ToolSpec
 * @typedef {import('./api.js').ToolRef} ToolRef
 */

/** Two boxes a tool: whether the agent has it, and whether it may use it without asking. */
export class ToolPicker {
  #list
  /** @type {{ name: string, enabled: HTMLInputElement, trusted: HTMLInputElement }[]} */
  #rows = []

  /** @param {HTMLElement} list */
  constructor(list) {
    this.#list = list
  }

  /** @param {readonly ToolSpec[]} tools @param {readonly ToolRef[]} chosen */
  show(tools, chosen) {
    this.#rows = tools.map(({ name }) => {
      const ref = chosen.find((candidate) => candidate.name === name)
      const enabled = element('input', { type: 'checkbox', checked: ref !== undefined })
      const trusted = element('input', { type: 'checkbox', checked: ref?.trust === true, disabled: ref === undefined })
      enabled.addEventListener('change', () => {
        trusted.disabled = !enabled.checked
        trusted.checked &&= enabled.checked
      })
      return { name, enabled, trusted }
    })
    this.#list.replaceChildren(...this.#rows.map((row, index) => createRow(row, tools[index]?.description ?? '')))
  }

  /** @returns {ToolRef[]} */
  get chosen() {
    return this.#rows
      .filter(({ enabled }) => enabled.checked)
      .map(({ name, trusted }) => (trusted.checked ? { name, trust: true } : { name }))
  }
}

/** @param {{ name: string, enabled: HTMLInputElement, trusted: HTMLInputElement }} row @param {string} description */
function createRow({ name, enabled, trusted }, description) {
  const li = element(
    'li',
    {},
    element(
      'div',
      { className: 'about' },
      element('code', {}, name),
      element('span', { className: 'quiet' }, description),
    ),
    element('label', {}, enabled, 'enabled'),
    element('label', { title: 'Runs without asking you' }, trusted, 'trusted'),
  )
  li.dataset['tool'] = name
  return li
}

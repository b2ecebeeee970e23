import { element } from './element.js'

/**
 * @typedef {import('./api.js').ToolSpec} ToolSpec
 * @typedef {import('./api.js').ToolRef} ToolRef
 */

/**
 * A list of the tools. Usually the mode decides about all of them; where the user picks, there are two boxes a tool:
 * whether the agent has it, and whether it may use it without asking.
 */
export class ToolPicker {
  #list
  #isPicking
  /** @type {{ name: string, enabled: HTMLInputElement, trusted: HTMLInputElement }[]} */
  #rows = []

  /** @param {HTMLElement} list @param {HTMLInputElement} isPicking */
  constructor(list, isPicking) {
    this.#list = list
    this.#isPicking = isPicking
    isPicking.addEventListener('change', () => list.classList.toggle('picking', isPicking.checked))
  }

  /** @param {readonly ToolSpec[]} tools @param {readonly ToolRef[]} chosen */
  show(tools, chosen) {
    this.#isPicking.checked = false
    this.#list.classList.remove('picking')
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

  /** @returns {ToolRef[] | undefined} `undefined`: whatever the mode allows */
  get chosen() {
    if (!this.#isPicking.checked) return undefined
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

import { find } from './element.js'

/** @typedef {{ preset: string } | { planning: boolean }} ModeChange */

const USUAL = 'workspace-write'

/** Which mode the session has, or a new one will have; and whether it plans or executes. */
export class ModeSwitch {
  /** Set by whoever carries a change of an open session out. @type {(change: ModeChange) => void} */
  onChange = () => {}
  #preset = find('preset', HTMLSelectElement)
  #planning = find('planning', HTMLInputElement)
  /** What planning ends in, where no server keeps it yet. */
  #before = USUAL
  #isChosen = false
  /** There is no session yet whose mode could be changed. */
  isNew = true

  constructor() {
    this.#preset.addEventListener('change', () => this.#change({ preset: this.#preset.value }))
    this.#planning.addEventListener('change', () => this.#change({ planning: this.#planning.checked }))
  }

  /**
   * As a new session is to have it; without a choice, as the server wants it. Planning is begun from another mode, so that
   * it can end there.
   */
  get wanted() {
    return { ...(this.#isChosen && { preset: this.#before }), planning: this.#planning.checked }
  }

  /** @param {string | undefined} preset of the open session; `undefined`: there is none yet */
  show(preset) {
    this.isNew = preset === undefined
    this.#before = USUAL
    this.#isChosen = false
    this.#draw(preset ?? USUAL)
  }

  /** @param {ModeChange} change */
  #change(change) {
    if (!this.isNew) return this.onChange(change)
    if ('preset' in change && change.preset !== 'plan') {
      this.#before = change.preset
      this.#isChosen = true
    }
    const isPlanning = 'planning' in change ? change.planning : change.preset === 'plan'
    this.#draw(isPlanning ? 'plan' : this.#before)
  }

  /** @param {string} preset */
  #draw(preset) {
    this.#preset.value = preset
    this.#planning.checked = preset === 'plan'
  }
}

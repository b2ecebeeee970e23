import { describeReason } from './call-log.js'
import { element } from './element.js'
import { createQuestionForm } from './question-form.js'
import { spellOut } from './spell-out.js'
import { whatRuns } from './what-runs.js'

/**
 * @typedef {import('./transcript.js').CallItem} CallItem
 * @typedef {import('./call-log.js').LoggedCall} LoggedCall
 * @typedef {import('./call-log.js').SubAgent} SubAgent
 *
 * @typedef {object} CallState what may be done about a call without a result
 * @property {'running' | 'asks' | 'question' | 'paused' | 'elsewhere'} type
 * @property {string | undefined} chosen the answer that was given but not sent yet, in a word
 *
 * @typedef {object} CallActions
 * @property {(call: CallItem) => CallState} stateOf
 * @property {(call: CallItem) => LoggedCall | undefined} loggedOf
 * @property {(call: CallItem) => SubAgent | undefined} subAgentOf
 * @property {(call: CallItem, granted: boolean) => void} choose
 * @property {(call: CallItem, text: string) => void} answer
 * @property {(call: CallItem) => void} cancel
 */

const LONGEST_PREVIEW = 200

const LABELS = {
  running: 'running',
  asks: 'wants your approval',
  question: 'asks you',
  paused: 'waits for a call of its own',
  elsewhere: 'waits for its own client',
}

/**
 * One tool call: what it is, whose it is, what would run, and what can be done about it.
 * @param {CallItem} call
 * @param {CallActions} actions
 */
export function createCallView(call, actions) {
  const badge = element('span', { className: 'badge' })
  const preview = element('span', { className: 'preview quiet' })
  const owner = element('span', { className: 'owner quiet', hidden: true })
  const content = element('div', { className: 'what' })
  const reason = element('p', { className: 'reason quiet' })
  const result = element('pre', { className: 'result' })
  const approval = createApproval(
    call.name,
    () => actions.choose(call, true),
    () => actions.choose(call, false),
  )
  const stop = element('button', { type: 'button', className: 'stop-call' }, 'Stop this call')
  stop.addEventListener('click', () => actions.cancel(call))
  const name = element('span', { className: 'tool' }, spellOut(call.name))
  const details = element('details', {}, element('summary', {}, name, owner, preview, badge), content, result)
  const node = element('li', { className: 'call' }, details, reason, approval, stop)
  node.dataset['call'] = call.toolCallId

  /** Made once, so that nobody loses what they typed. @type {HTMLFormElement | undefined} */
  let form
  let shown = ''
  /** @type {LoggedCall | undefined | null} */
  let shownLogged = null
  const draw = () => {
    const state = call.result === undefined ? actions.stateOf(call) : undefined
    const logged = actions.loggedOf(call)
    const subAgent = actions.subAgentOf(call)
    const now = [state?.type ?? 'done', state?.chosen, logged?.reason, subAgent?.description].join('\n')
    drawContent(logged)
    if (now === shown) return
    shown = now
    node.dataset['state'] = state?.type ?? 'done'
    badge.textContent = state ? (state.chosen ?? LABELS[state.type]) : 'done'
    owner.hidden = subAgent === undefined
    owner.textContent = subAgent ? `of a sub-agent: ${spellOut(subAgent.description || subAgent.agent)}` : ''
    const isOpen = state?.chosen === undefined
    approval.hidden = state?.type !== 'asks' || !isOpen
    if (state?.type === 'question') form ??= addForm()
    if (form) form.hidden = state?.type !== 'question' || !isOpen
    stop.hidden = state?.type !== 'running'
    reason.hidden = state?.type !== 'asks'
    reason.textContent = describeReason(logged?.reason)
    result.hidden = call.result === undefined
    result.textContent = call.result ?? ''
    preview.textContent = (call.result ?? '').slice(0, LONGEST_PREVIEW)
    // Whoever decides must see all of what would run.
    if (state?.type === 'asks') details.open = true
  }
  /** Drawn once without the log, and again when the log says more. @param {LoggedCall | undefined} logged */
  const drawContent = (logged) => {
    if (logged === shownLogged) return
    shownLogged = logged
    content.replaceChildren(...whatRuns(call, logged ?? { diffs: [] }))
  }
  const addForm = () => {
    const made = createQuestionForm(call.input, {
      answer: (text) => actions.answer(call, text),
      decline: () => actions.choose(call, false),
    })
    details.after(made)
    return made
  }
  draw()
  return { node, draw }
}

/** @param {string} name @param {() => void} allow @param {() => void} deny */
function createApproval(name, allow, deny) {
  const node = element(
    'div',
    { className: 'answers' },
    element('button', { type: 'button', className: 'primary', onclick: allow }, 'Allow'),
    element('button', { type: 'button', onclick: deny }, 'Deny'),
  )
  node.setAttribute('role', 'group')
  node.setAttribute('aria-label', `Allow ${spellOut(name)}?`)
  return node
}

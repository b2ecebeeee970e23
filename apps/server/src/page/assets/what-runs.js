// What a call would do, so that somebody can decide about it: the command, the change of a file, and always its input.
import { element } from './element.js'
import { diffLines } from './line-diff.js'
import { fieldsOf } from './questions.js'
import { spellOut } from './spell-out.js'

/**
 * @typedef {import('./call-log.js').FileDiff} FileDiff
 * @typedef {import('./transcript.js').CallItem} CallItem
 */

/** What a diff shows of the input of its tool. */
const IN_DIFF = new Set(['path', 'content', 'oldText', 'newText'])

/**
 * @param {Pick<CallItem, 'input'>} call
 * @param {{ kind?: string, diffs: readonly FileDiff[] }} logged
 * @returns {HTMLElement[]}
 */
export function whatRuns({ input }, { kind, diffs }) {
  const json = spellOut(JSON.stringify(input, undefined, 2))
  const { command, description, ...others } = fieldsOf(input)
  if (kind === 'execute' && typeof command === 'string') {
    return [element('pre', { className: 'command' }, spellOut(command)), ...claim(description), ...rest(others)]
  }
  const todos = fieldsOf(input)['todos']
  if (kind === 'plan' && Array.isArray(todos)) return [planOf(todos)]
  if (diffs.length === 0) return [element('pre', { className: 'input' }, json)]
  const hidden = Object.entries(fieldsOf(input)).filter(([field]) => !IN_DIFF.has(field))
  return [
    ...diffs.map(diffOf),
    ...rest(Object.fromEntries(hidden)),
    element('details', {}, element('summary', {}, 'Exact input'), element('pre', { className: 'input' }, json)),
  ]
}

/** @param {FileDiff} diff */
function diffOf({ path, oldText, newText }) {
  const lines = diffLines(oldText ?? '', newText).map(({ sign, text }) => {
    const kind = sign === '+' ? 'added' : sign === '-' ? 'removed' : 'kept'
    return element('span', { className: kind }, `${sign} ${spellOut(text)}\n`)
  })
  const title = oldText === undefined ? `${spellOut(path)} (new file)` : spellOut(path)
  return element(
    'figure',
    { className: 'diff' },
    element('figcaption', { className: 'quiet' }, title),
    element('pre', {}, ...lines),
  )
}

/** What the agent says that the command is for, which nobody has checked. @param {unknown} description */
function claim(description) {
  if (typeof description !== 'string') return []
  return [element('p', { className: 'claim quiet' }, `The agent says: ${spellOut(description)}`)]
}

/** @param {Record<string, unknown>} fields */
function rest(fields) {
  if (Object.keys(fields).length === 0) return []
  return [element('pre', { className: 'rest' }, spellOut(JSON.stringify(fields)))]
}

/** @param {readonly unknown[]} todos */
function planOf(todos) {
  const items = todos.map((todo) => {
    const { content, status } = fieldsOf(todo)
    const mark = status === 'completed' ? '☑' : status === 'in_progress' ? '▶' : '☐'
    const item = element('li', {}, `${mark} ${spellOut(String(content))}`)
    item.dataset['status'] = String(status)
    return item
  })
  return element('ol', { className: 'plan' }, ...items)
}

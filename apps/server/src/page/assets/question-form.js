import { element } from './element.js'
import { answerText, readQuestions } from './questions.js'
import { spellOut } from './spell-out.js'

/** @typedef {import('./questions.js').Question} Question */

let formCount = 0

/**
 * The questions of a call, each with its options and a line for words of one's own.
 * @param {unknown} input
 * @param {{ answer: (text: string) => void, decline: () => void }} actions
 */
export function createQuestionForm(input, { answer, decline }) {
  formCount += 1
  const questions = readQuestions(input)
  const fields = questions.map((question, index) => createField(question, `question-${formCount}-${index}`))
  const hint = element('p', { className: 'hint', hidden: true }, 'Answer every question, or decline.')
  hint.setAttribute('role', 'alert')
  const form = element(
    'form',
    { className: 'question' },
    ...fields.map(({ node }) => node),
    hint,
    element(
      'div',
      { className: 'answers' },
      element('button', { type: 'submit', className: 'primary' }, 'Answer'),
      element('button', { type: 'button', onclick: decline }, 'Decline'),
    ),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const text = answerText(
      questions,
      fields.map(({ read }) => read()),
    )
    hint.hidden = text !== undefined
    if (text !== undefined) answer(text)
  })
  return form
}

/** @param {Question} question @param {string} name of its inputs: radio buttons with one name are one choice */
function createField({ header, question, options, isMulti }, name) {
  const inputs = options.map(({ label }) =>
    element('input', { type: isMulti ? 'checkbox' : 'radio', name, value: label }),
  )
  const words = element('input', { type: 'text', name: `${name}-words`, maxLength: 4000 })
  words.setAttribute('aria-label', options.length > 0 ? 'Or in your own words' : 'Your answer')
  words.placeholder = options.length > 0 ? 'Or in your own words' : 'Your answer'
  const choices = options.map(({ label, description }, index) =>
    element(
      'label',
      { className: 'option' },
      inputs[index] ?? '',
      element(
        'span',
        {},
        spellOut(label),
        element('span', { className: 'quiet' }, description === '' ? '' : ` ${spellOut(description)}`),
      ),
    ),
  )
  const node = element(
    'fieldset',
    {},
    element(
      'legend',
      {},
      ...(header === '' ? [] : [element('span', { className: 'badge' }, spellOut(header)), ' ']),
      spellOut(question),
    ),
    ...choices,
    words,
  )
  const read = () => ({
    chosen: options.filter((_, index) => inputs[index]?.checked).map(({ label }) => label),
    words: words.value,
  })
  return { node, read }
}

// What a call of AskUserQuestion asks, and what an answer to it says. No DOM here.

/**
 * @typedef {{ label: string, description: string }} Option
 * @typedef {{ header: string, question: string, options: Option[], isMulti: boolean }} Question
 * @typedef {{ chosen: string[], words: string }} Reply labels that were chosen, and words of one's own
 */

/**
 * The model wrote it, so nothing about its shape is sure. What is no list of questions is asked as it is.
 * @param {unknown} input
 * @returns {Question[]}
 */
export function readQuestions(input) {
  const { questions } = fieldsOf(input)
  const list = Array.isArray(questions) ? questions.map(toQuestion) : []
  if (list.length > 0 && list.every(({ question }) => question !== '')) return list
  return [{ header: '', question: JSON.stringify(input), options: [], isMulti: false }]
}

/**
 * What the agent is told; `undefined` where a question has no answer.
 * @param {readonly Question[]} questions
 * @param {readonly Reply[]} replies
 */
export function answerText(questions, replies) {
  const answers = questions.map(({ isMulti }, index) => {
    const { chosen = [], words = '' } = replies[index] ?? {}
    const own = words.trim()
    if (own === '') return chosen.join(', ')
    return isMulti ? [...chosen, own].join(', ') : own
  })
  if (answers.includes('')) return undefined
  if (answers.length === 1) return answers[0]
  return questions.map(({ question }, index) => `${question} ${answers[index]}`).join('\n')
}

/** @param {unknown} value @returns {Question} */
function toQuestion(value) {
  const { header, question, options, multiSelect } = fieldsOf(value)
  return {
    header: textOf(header),
    question: textOf(question),
    options: (Array.isArray(options) ? options : []).map(toOption).filter(({ label }) => label !== ''),
    isMulti: multiSelect === true,
  }
}

/** @param {unknown} value @returns {Option} */
function toOption(value) {
  const { label, description } = fieldsOf(value)
  return { label: textOf(label), description: textOf(description) }
}

/** @param {unknown} value @returns {Record<string, unknown>} */
export function fieldsOf(value) {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === 'string' ? value : ''
}

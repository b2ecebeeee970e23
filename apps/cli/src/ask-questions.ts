import { askLine } from './ask-line.ts'
import { joinReplies, readQuestions, readReply, type Question } from './questions.ts'
import type { Output, Terminal } from './terminal.ts'
import { toTerminalLine, toTerminalText } from './terminal-text.ts'
import type { WaitingCall } from './waiting-calls.ts'
import { formatOwner } from './what-runs.ts'

/** The answer in words, as the agent will read it. `undefined`: the human left. `cancel`: Ctrl-C. */
export type QuestionsAnswer = { readonly text: string } | 'cancel' | undefined

/** Puts the questions of a call one after the other, each until it has an answer. */
export async function askQuestions({ stderr }: Terminal, call: WaitingCall): Promise<QuestionsAnswer> {
  const questions = readQuestions(call.input)
  const who = call.subAgent === undefined ? 'The agent' : formatOwner(call.subAgent)
  stderr.write(`${stderr.bold(`${who} asks you`)}\n`)
  const replies: string[] = []
  for (const question of questions) {
    showQuestion(stderr, question)
    const reply = await askUntilClear(question)
    if (reply === undefined || reply === 'cancel') return reply
    replies.push(reply.text)
  }
  return { text: joinReplies(questions, replies) }
}

async function askUntilClear(question: Question): Promise<QuestionsAnswer> {
  const { options, multiSelect } = question
  const numbers = multiSelect ? 'Numbers' : 'A number'
  const prompt = options.length === 0 ? 'Your answer: ' : `${numbers}, or your own words: `
  for (;;) {
    const answer = await askLine(prompt)
    if (answer === undefined || answer === 'cancel') return answer
    const text = readReply(question, answer.line)
    if (text !== undefined) return { text }
  }
}

function showQuestion(stderr: Output, { header, question, options }: Question): void {
  const title = header === undefined || header === '' ? '' : `${toTerminalLine(header)}: `
  stderr.write(`  ${title}${toTerminalText(question)}\n`)
  for (const [index, { label, description }] of options.entries()) {
    const about = description === undefined ? '' : ` ${stderr.dim(toTerminalLine(description))}`
    stderr.write(`  ${index + 1}. ${toTerminalLine(label)}${about}\n`)
  }
}

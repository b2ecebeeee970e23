import { spellOut, spellOutLine, type WaitingCall } from '@polylogue/console/client'
import { askLine } from './ask-line.ts'
import { forgetTyped } from './forget-typed.ts'
import { joinReplies, readQuestions, readReply, type Question } from './questions.ts'
import type { Terminal } from './terminal.ts'
import { toTerminalLine } from './terminal-text.ts'

/** The answer as the agent will read it. `undefined`: the user left. `cancel`: Ctrl-C. */
export type QuestionsAnswer = { readonly text: string } | 'cancel' | undefined

/** Asks the questions of a call one after the other, each until it has an answer. What was typed before is no answer. */
export async function askQuestions({ stderr }: Terminal, call: WaitingCall): Promise<QuestionsAnswer> {
  const questions = readQuestions(call.input)
  stderr.write(`${stderr.bold(toTerminalLine(call.sentence))}\n`)
  if (await forgetTyped(process.stdin)) return 'cancel'
  const replies: string[] = []
  for (const question of questions) {
    for (const line of formatQuestion(question, stderr.dim)) stderr.write(`${line}\n`)
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

/** The questions of a call for a reader, one terminal line each. */
export const formatQuestions = ({ input }: Pick<WaitingCall, 'input'>): readonly string[] =>
  readQuestions(input).flatMap((question) => formatQuestion(question))

function formatQuestion(asked: Question, dim = (text: string): string => text): readonly string[] {
  const { header, question, options } = asked
  const title = header === undefined || header === '' ? '' : `${spellOutLine(header)}: `
  return [
    `${title}${spellOut(question)}`,
    ...options.map(({ label, description }, index) => {
      const about = description === undefined ? '' : `: ${dim(spellOutLine(description))}`
      return `${index + 1}. ${spellOutLine(label)}${about}`
    }),
  ]
}

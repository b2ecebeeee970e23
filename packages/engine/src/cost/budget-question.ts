import { unreachable } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import type { SpentBudget } from '../events/spent-budget.ts'
import { NANO } from './price.ts'

export const GO_ON = 'Go on'
const STOP = 'Stop'
/** The tool name of all questions to the user, including the engine's own. */
export const QUESTION_TOOL = 'AskUserQuestion'

/**
 * Describes the usage and the limit. Must not contain the words of the options, because a client may repeat the text in
 * its answer.
 */
export function describeSpentBudget(spent: SpentBudget): string {
  const { used, limit } = spent
  return `${ownerOf(spent)} has used ${amountOf(used, spent)}; the budget is ${amountOf(limit, spent)}${periodOf(spent)}.`
}

/** The input of a question that every door can show and answer. */
export function questionAbout(spent: SpentBudget): JsonObject {
  return {
    questions: [
      {
        question: `${describeSpentBudget(spent)} What shall happen?`,
        header: 'Budget',
        options: [
          { label: GO_ON, description: `Allows ${amountOf(spent.limit, spent)} more` },
          { label: STOP, description: 'Ends the turn here' },
        ],
      },
    ],
  }
}

/** Clients phrase answers in many ways. Anything that is not clearly a yes counts as no, because money is at stake. */
export function allowsMore(answer: string): boolean {
  return /\b(go on|continue|yes)\b/i.test(answer) && !/\b(stop|no|not|never|don't)\b/i.test(answer)
}

function ownerOf({ scope, per }: SpentBudget): string {
  switch (scope) {
    case 'turn':
      return 'This turn'
    case 'session':
      return 'This session'
    case 'key':
      return per === 'day' ? 'Today this API key' : 'This month this API key'
    default:
      return unreachable(scope)
  }
}

const periodOf = ({ per }: SpentBudget): string => (per === undefined ? '' : ` a ${per}`)

function amountOf(amount: number, { measure, currency = '' }: SpentBudget): string {
  switch (measure) {
    case 'tokens':
      return counted(amount, 'token')
    case 'steps':
      return counted(amount, 'model call')
    case 'money':
      return `${formatMoney(amount)} ${currency}`
    case 'wallTimeMs':
      return inMinutes(amount)
    default:
      return unreachable(measure)
  }
}

/** At least two decimals, and more for small amounts, so that they do not read as zero. */
export function formatMoney(nano: number): string {
  const units = nano / NANO
  const digits = nano === 0 || units >= 0.01 ? 2 : Math.min(9, 1 - Math.floor(Math.log10(units)))
  return units.toFixed(digits)
}

const grouped = (amount: number): string => Math.round(amount).toLocaleString('en-US')

function counted(amount: number, noun: string): string {
  const digits = grouped(amount)
  return `${digits} ${noun}${digits === '1' ? '' : 's'}`
}

function inMinutes(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return seconds < 120 ? counted(seconds, 'second') : counted(seconds / 60, 'minute')
}

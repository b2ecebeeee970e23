import type { Failure, Usage } from '@polylogue/engine'
import { isContextTooLong } from './context-too-long.ts'
import type { ErrorFacts } from './error-facts.ts'
import { readRetryAfter } from './retry-after.ts'

/** Why an attempt failed, and whether a retry may succeed. */
export interface Problem {
  readonly failure: Failure
  /** The same request may succeed later. */
  readonly isTransient: boolean
  readonly retryAfterMs?: number
  /** The request may succeed without these parts. */
  readonly refused?: 'images' | 'tools'
  /** Usage of the failed attempt, if the provider reported it. */
  readonly usage?: Usage
}

export interface ProblemContext {
  /** The provider's name in sentences. */
  readonly title: string
  readonly model: string
  readonly now: number
}

const NETWORK = /^(E[A-Z]{3,}|UND_ERR_\w+|ERR_SOCKET\w*|ERR_STREAM_PREMATURE_CLOSE|ERR_TLS\w*|CERT_\w+)$/
const UNREACHABLE = /^(ECONN\w+|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_\w+)$/
const SILENCE = /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/
const BROKEN = /terminated|fetch failed|cannot connect/
const UNFINISHED = /ended without a finish|empty response/
const BAD_KEY = /api key not valid|api_key_invalid|invalid x-api-key|invalid api key|incorrect api key/
const NO_CREDIT = /credit balance is too low|insufficient_quota|insufficient balance|insufficient credits/
const OVERLOADED = /overloaded|temporarily unavailable|at capacity/
const NO_TOOLS = /not support tools|support tool use|tool choice requires|function calling is not/
const NO_IMAGES = /image|vision|multi-?modal|content must be a string|expected `?text`?/

/** Turns an error into a sentence for clients. Never includes the provider's own text. */
export function toProblem(facts: ErrorFacts, context: ProblemContext): Problem {
  const { status, text, codes } = facts
  if (codes.has('CredentialsFailed') && ![...codes].some((code) => UNREACHABLE.test(code))) return noToken(context)
  if (status === undefined || status === 200) return toBrokenProblem(facts, context)
  const problem = toHttpProblem(status, facts, context)
  if (NO_TOOLS.test(text)) return { ...problem, refused: 'tools' }
  return NO_IMAGES.test(text) ? { ...problem, refused: 'images' } : problem
}

function toHttpProblem(status: number, facts: ErrorFacts, { title, model, now }: ProblemContext): Problem {
  const { text, codes } = facts
  if (codes.has('AnswerIsRedirect')) {
    return wrongAddress(`${title} redirects requests elsewhere (HTTP ${status}).`)
  }
  if (status !== 429 && isContextTooLong(facts)) return contextTooLong
  if (status === 402 || NO_CREDIT.test(text) || codes.has('insufficient_quota')) {
    return failed('model-refused-request', `${title} takes no requests until the account has credit again.`)
  }
  if (status === 401 || BAD_KEY.test(text)) return failed('model-auth', `${title} did not accept the API key.`)
  if (status === 403) return failed('model-auth', `${title} does not let this API key use the model ${model}.`)
  if (status === 404) {
    return failed('model-refused-request', `${title} has no model ${model}, or does not let this API key use it.`)
  }
  if (status < 500 && status !== 408 && status !== 429) {
    return failed('model-refused-request', `${title} refused the request (HTTP ${status}). The log has its reason.`)
  }
  return toBusyProblem(status, facts, { title, retryAfterMs: readRetryAfter(facts, now) })
}

function toBusyProblem(
  status: number,
  { text, codes }: ErrorFacts,
  { title, retryAfterMs }: { readonly title: string; readonly retryAfterMs: number | undefined },
): Problem {
  const waiting = retryAfterMs === undefined ? {} : { retryAfterMs }
  const pause = retryAfterMs === undefined || retryAfterMs < 1000 ? 'at the moment' : `for ${inWords(retryAfterMs)}`
  if (status === 429) {
    return { ...transient('model-rate-limited', `${title} takes no more requests ${pause}.`), ...waiting }
  }
  const isOverloaded = status === 529 || status === 503 || codes.has('overloaded_error') || OVERLOADED.test(text)
  return isOverloaded
    ? { ...transient('model-overloaded', `${title} is overloaded.`), ...waiting }
    : { ...transient('model-error', `${title} had an error of its own (HTTP ${status}).`), ...waiting }
}

/** Not an HTTP error: the connection broke, or its content was invalid. */
function toBrokenProblem(facts: ErrorFacts, { title }: ProblemContext): Problem {
  const { status, text, codes } = facts
  const names = [...codes]
  if (codes.has('CallTooLong')) return failed('model-error', 'The model wrote a tool call that is too long.')
  if (codes.has('AnswerTooLong')) return failed('model-error', 'The model wrote more than an answer may have.')
  if (codes.has('AnswerIsPage')) return wrongAddress(`${title} answered with a web page.`)
  if (codes.has('AnswerTooLarge')) return failed('model-error', `${title} sent more than an answer may have.`)
  if (names.some((name) => SILENCE.test(name))) return failed('model-stalled', `${title} stopped answering.`)
  if (isContextTooLong(facts)) return contextTooLong
  const isNetwork = names.some((name) => NETWORK.test(name)) || BROKEN.test(text)
  if (isNetwork && status === undefined) return transient('model-unreachable', `${title} cannot be reached.`)
  if (isNetwork || UNFINISHED.test(text)) return cutOff(title)
  if (codes.has('overloaded_error') || OVERLOADED.test(text)) {
    return transient('model-overloaded', `${title} is overloaded.`)
  }
  if (codes.has('ReportedError'))
    return failed('model-error', `${title} reported an error in the middle of its answer.`)
  return failed('model-error', `${title} answered with something that is no answer of a model.`)
}

const noToken = ({ title }: ProblemContext): Problem =>
  failed(
    'model-auth',
    `${title} got no token from Google's credentials of this machine. Run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS to a valid file.`,
  )

/** Clients read this, so it does not include the address. */
const wrongAddress = (sentence: string): Problem =>
  failed('model-error', `${sentence} Its base URL may be wrong, or lack a path such as /v1.`)

const contextTooLong: Problem = failed('context-too-long', 'The conversation is too long for the model.')

export function cutOff(title: string): Problem {
  return transient('model-cut-off', `The answer of ${inSentence(title)} broke off before it was complete.`)
}

export function failed(code: string, message: string): Problem {
  return { failure: { code, message }, isTransient: false }
}

function transient(code: string, message: string): Problem {
  return { failure: { code, message }, isTransient: true }
}

export function inWords(ms: number): string {
  const [count, unit] = ms < 120_000 ? [Math.ceil(ms / 1000), 'second'] : [Math.ceil(ms / 60_000), 'minute']
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`
}

/** A title in the middle of a sentence. */
export function inSentence(title: string): string {
  return title.replace(/^The /, 'the ')
}

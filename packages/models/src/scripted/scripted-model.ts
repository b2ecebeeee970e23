// A model that does what the last user message tells it to, so that every door can be tested without a network.
// `script.ts` has the language; the README of this package explains it.
import { type Clock, type Model, type ModelOutput, type ModelRequest, type StepFinish, textOf } from '@polylogue/engine'
import { type GiveWay, giveWayToEventLoop } from '../give-way.ts'
import { estimateInputTokens } from '../input-tokens.ts'
import { wait } from '../wait.ts'
import { toWords } from '../words.ts'
import { type Directive, type SpokenDirective, parseSection } from './script.ts'
import { showPart } from './shown-part.ts'

export interface ScriptedModelParts {
  readonly clock: Clock
  /** Called after every delta of `tokens`, and periodically within long texts. */
  readonly giveWay?: GiveWay
}

/** One shared object: benchmarks use `tokens` as their producer. */
const TOKEN: ModelOutput = { type: 'text', text: 'x ' }
const WORDS_BETWEEN_WAYS = 64
const SUMMARY = /Summary of \d+ messages\./

export function createScriptedModel({ clock, giveWay = giveWayToEventLoop }: ScriptedModelParts): Model {
  return {
    async *stream(request, signal) {
      let finish: StepFinish | undefined
      let hasCalls = false
      let hasFinish = true
      let outputTokens = 0
      for (const directive of directivesFor(request)) {
        if (signal.aborted) return
        switch (directive.type) {
          case 'text':
          case 'thinking':
          case 'show': {
            const type = directive.type === 'thinking' ? 'thinking' : 'text'
            for (const text of deltasOf(directive, request)) {
              if (signal.aborted) return
              yield { type, text }
              if (++outputTokens % WORDS_BETWEEN_WAYS === 0) await giveWay()
            }
            break
          }
          case 'tokens':
            for (let count = 0; count < directive.count && !signal.aborted; count++) {
              yield TOKEN
              outputTokens++
              await giveWay()
            }
            break
          case 'call':
            yield { type: 'tool-call', id: directive.id, name: directive.tool, input: directive.input }
            hasCalls = true
            outputTokens++
            break
          case 'sleep':
            await wait(clock, directive.ms, signal)
            break
          case 'stop':
            finish = directive.finish
            break
          case 'nostop':
            hasFinish = false
            break
          case 'fail':
            yield { type: 'failed', error: { code: 'model-error', message: 'The script told the model to fail.' } }
            return
          case 'overflow':
            if (hasSummary(request)) break
            yield {
              type: 'failed',
              error: { code: 'context-too-long', message: 'The conversation is too long for the model.' },
            }
            return
        }
      }
      if (signal.aborted || !hasFinish) return
      yield {
        type: 'finished',
        finish: finish ?? (hasCalls ? 'tool-calls' : 'stop'),
        usage: { inputTokens: estimateInputTokens(request), outputTokens },
      }
    },
  }
}

function directivesFor(request: ModelRequest): readonly Directive[] {
  if (request.purpose === 'summary') return saying(`Summary of ${request.messages.length} messages.`)
  const section = parseSection(scriptOf(request), request.step)
  if (section) return section
  const results = newestResults(request)
  return results.length === 0 ? [] : saying(`RESULTS ${results.length}: ${results.join('|')}`)
}

function saying(text: string): readonly Directive[] {
  return [{ type: 'text', text, breaks: 0 }]
}

function scriptOf({ messages }: ModelRequest): string {
  const content = messages.findLast((message) => message.role === 'user')?.content ?? ''
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

function newestResults({ messages }: ModelRequest): readonly string[] {
  const first = messages.findLastIndex((message) => message.role !== 'tool') + 1
  return messages.slice(first).map(({ content }) => textOf(content))
}

function deltasOf(line: SpokenDirective, request: ModelRequest): readonly string[] {
  const deltas = line.type === 'show' ? [showPart(request, line.what)] : toWords(line.text)
  if (line.breaks === 0) return deltas
  return [...deltas.slice(0, -1), `${deltas.at(-1) ?? ''}${'\n'.repeat(line.breaks)}`]
}

/**
 * Whether this attempt follows a compaction: our summary is then in the system prompt or in a message before the script.
 * Depends on the request alone, so it holds after a restart. The drawback: in a session that was compacted before,
 * `overflow` never fails.
 */
function hasSummary({ system, messages }: ModelRequest): boolean {
  const script = messages.findLastIndex((message) => message.role === 'user')
  return SUMMARY.test(system) || messages.slice(0, script).some(({ content }) => SUMMARY.test(textOf(content)))
}

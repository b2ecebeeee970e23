// Vite gives the address of the worker as the default export.
// oxlint-disable-next-line import/default
import workerUrl from './highlight-worker.ts?worker&url'
import { findLanguage } from './language-names.ts'

/** Text, and what it is: `keyword`, `string`, … or nothing. */
export type Piece = readonly [text: string, kind: string]

export interface HighlightRequest {
  readonly id: number
  readonly code: string
  readonly language: string
}

export interface HighlightAnswer {
  readonly id: number
  /** Absent where the code is shown as it is. */
  readonly lines: readonly (readonly Piece[])[] | undefined
}

/** Longer code is shown as it is: each piece is an element on the page. */
const LONGEST = 60_000

let worker: Worker | undefined
let lastId = 0
const waiting = new Map<number, (lines: HighlightAnswer['lines']) => void>()

/** Nothing of the result is kept here: pages with much code would grow without end. */
export function highlight(code: string, language: string): Promise<HighlightAnswer['lines']> {
  if (code.length > LONGEST || findLanguage(language) === undefined) return Promise.resolve(undefined)
  const id = ++lastId
  const { promise, resolve } = Promise.withResolvers<HighlightAnswer['lines']>()
  waiting.set(id, resolve)
  worker ??= startWorker()
  worker.postMessage({ id, code, language } satisfies HighlightRequest)
  return promise
}

interface ScriptUrlPolicy {
  createScriptURL(url: string): string
}
interface TrustedTypes {
  createPolicy(name: string, rules: ScriptUrlPolicy): ScriptUrlPolicy
}

/** Our policy allows scripts of our own files only, and wants to be told which. */
function trust(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  const policy = trustedTypes?.createPolicy('polylogue', { createScriptURL: () => url })
  return policy?.createScriptURL(url) ?? url
}

function startWorker(): Worker {
  const made = new Worker(trust(workerUrl), { type: 'module' })
  made.addEventListener('message', (event: MessageEvent<HighlightAnswer>) => {
    const { id, lines } = event.data
    waiting.get(id)?.(lines)
    waiting.delete(id)
  })
  made.addEventListener('error', () => {
    // Code stays readable without colours.
    for (const resolve of waiting.values()) resolve(undefined)
    waiting.clear()
  })
  return made
}

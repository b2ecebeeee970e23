import type { ProviderKind } from '../provider-config.ts'
import type { FakeReply } from './fake-provider.ts'

export type FakeBlock =
  /** Without text it is redacted: only the signature is there. */
  | { readonly type: 'thinking'; readonly pieces: readonly string[]; readonly signature?: string }
  | { readonly type: 'text'; readonly pieces: readonly string[] }
  /** The input as JSON text, in the pieces in which it is streamed. */
  | {
      readonly type: 'call'
      readonly id: string
      readonly name: string
      readonly pieces: readonly string[]
      readonly signature?: string
    }

export interface FakeAnswer {
  readonly blocks: readonly FakeBlock[]
  readonly finish: 'stop' | 'calls' | 'length' | 'refusal'
  /** Pieces of parallel calls come in turns. */
  readonly interleaved?: boolean
}

/** One provider's wire format, written down a second time and independently: what it sends, and what it takes. */
export interface Wire {
  readonly kind: ProviderKind
  readonly basePath: string
  /** Of the request for an answer, without query. */
  readonly path: string
  readonly model: string
  /** What the header of a request says about the key. */
  readonly keyHeader: (key: string) => readonly [name: string, value: string]
  answer(answer: FakeAnswer): readonly string[]
  /** How the provider says it. */
  readonly contextTooLong: FakeReply
  readonly badKey: FakeReply
  readonly rateLimited: FakeReply
  readonly overloaded: FakeReply
  /** A chunk that says that the provider is overloaded, after the answer began. */
  readonly overloadedMidway: string
  refuses(problem: string): FakeReply
  /** What the provider would refuse in this request. */
  findFault(body: unknown): string | undefined
  /** Parts of a history that a request carries, in order and in common words. */
  readHistory(body: unknown): readonly string[]
}

export const USAGE = { input: 21, output: 7 }

export const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): FakeReply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  chunks: [JSON.stringify(body)],
})

export const sse = (data: unknown, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

/** Takes from every list in turn until all are empty. */
export function inTurns<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat()
}

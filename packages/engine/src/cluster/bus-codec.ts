/**
 * The text of messages between nodes: `[version, sender, [message, …]]`. A message that is too long for the transport comes in
 * pieces: `[id, index, count, part of its JSON]`. A receiver skips messages that it does not know,
 * because nodes of two versions run side by side during an upgrade.
 */
import { z } from 'zod'
import { asEntryId, asLoopId, asSessionId, asToolCallId, asTurnId, asUserId } from '../ids.ts'
import type { BusMessage } from '../ports/live-bus.ts'

const VERSION = 1

const sessionId = z.string().transform(asSessionId)
const step = {
  turnId: z.string().transform(asTurnId),
  loopId: z.string().transform(asLoopId),
  stepId: z.string().transform(asEntryId),
}
const delta = {
  ...step,
  stepSeq: z.number().int(),
  block: z.number().int().nonnegative().max(100_000),
  offset: z.number().int().nonnegative(),
  text: z.string(),
}
const toolCallId = z.string().transform(asToolCallId)

const live = z.union([
  z.object({ type: z.enum(['text.delta', 'thinking.delta']), ...delta, number: z.number().int() }),
  z.object({
    type: z.literal('tool-call.progress'),
    toolCallId,
    offset: z.number().int().nonnegative(),
    text: z.string(),
  }),
  z.object({
    type: z.literal('tool-call.input'),
    ...step,
    toolCallId,
    name: z.string(),
    offset: z.number().int().nonnegative(),
    text: z.string(),
  }),
  z.object({
    type: z.literal('step.retrying'),
    ...step,
    error: z.object({ code: z.string(), message: z.string() }),
    delayMs: z.number(),
  }),
])

const client = z.object({
  door: z.string(),
  client: z.string().optional(),
  key: z.string().optional(),
  since: z.number(),
  cursor: z.number().optional(),
})

const count = z.tuple([z.string(), z.string(), z.number().int().nonnegative()])

const message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('runs'), sessionId, seq: z.number().int() }),
  z.object({ type: z.literal('watch'), sessionId }),
  z.object({ type: z.literal('unwatch'), sessionId }),
  z.object({ type: z.literal('moved'), sessionId, seq: z.number().int() }),
  z.object({ type: z.literal('deleted'), sessionId }),
  z.object({ type: z.literal('cancel'), sessionId, turnId: step.turnId, reason: z.string() }),
  z.object({
    type: z.literal('listed'),
    sessionId,
    userId: z.string().transform(asUserId),
    range: z.object({ after: z.number().int().nonnegative(), count: z.number().int().positive() }).optional(),
  }),
  z.object({ type: z.literal('counts'), taken: z.array(count), open: z.array(count) }),
  z.object({ type: z.literal('ask-clients'), sessionId }),
  z.object({ type: z.literal('clients'), sessionId, clients: z.array(client) }),
  z.object({ type: z.literal('live'), sessionId, live, isPast: z.literal(true).optional() }),
])

const envelope = z.tuple([z.literal(VERSION), z.string(), z.array(z.unknown())])
const piece = z.tuple([z.string(), z.number().int().nonnegative(), z.number().int().positive(), z.string()])

/** Longer messages are dropped. */
const LONGEST = 512 * 1024
/** How many messages may be incomplete at a time. */
const MOST_INCOMPLETE = 64

/** Joins what `encodeBusMessage` returned. */
export const encodeBusMessages = (from: string, messages: readonly string[]): string =>
  `[${VERSION},${JSON.stringify(from)},[${messages.join(',')}]]`

/** One text, or several pieces if it is longer than `maxUnits`; none if it is too long. */
export function encodeBusMessage(sent: BusMessage, { id, maxUnits }: PieceOptions): readonly string[] {
  const json = JSON.stringify(sent)
  if (json.length <= maxUnits) return [json]
  if (json.length > LONGEST) return []
  const count = Math.ceil(json.length / maxUnits)
  const name = id()
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify([name, index, count, json.slice(index * maxUnits, (index + 1) * maxUnits)]),
  )
}

/** A text with one message of any length, for transports without a limit. */
export const encodeBusText = (from: string, sent: BusMessage): string => encodeBusMessages(from, [JSON.stringify(sent)])

export interface PieceOptions {
  /** Names the message in its pieces. */
  id(): string
  readonly maxUnits: number
}

/** Reads texts of other nodes and joins the pieces of long messages. */
export class BusInbox {
  readonly #incomplete = new Map<string, { readonly texts: (string | undefined)[]; missing: number }>()

  /** `undefined`: not a text of this format. */
  open(text: string): { readonly from: string; readonly messages: readonly BusMessage[] } | undefined {
    const parsed = envelope.safeParse(parseJson(text))
    if (!parsed.success) return undefined
    const [, from, items] = parsed.data
    const messages = items.flatMap((item): BusMessage[] => {
      const known = message.safeParse(Array.isArray(item) ? this.#join(from, item) : item)
      return known.success ? [known.data] : []
    })
    return { from, messages }
  }

  #join(from: string, item: readonly unknown[]): unknown {
    const parsed = piece.safeParse(item)
    if (!parsed.success) return undefined
    const [id, index, count, text] = parsed.data
    if (count > LONGEST || index >= count) return undefined
    const key = `${from} ${id}`
    const known = this.#incomplete.get(key) ?? { texts: [], missing: count }
    if (known.texts[index] === undefined) {
      known.texts[index] = text
      known.missing -= 1
    }
    this.#incomplete.delete(key)
    if (known.missing === 0) return parseJson(known.texts.join(''))
    this.#incomplete.set(key, known)
    const [oldest] = this.#incomplete.keys()
    if (this.#incomplete.size > MOST_INCOMPLETE && oldest !== undefined) this.#incomplete.delete(oldest)
    return undefined
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

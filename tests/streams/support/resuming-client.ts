import type { IncomingMessage } from 'node:http'
import { type Exchange, beginExchange } from '../../support/http-exchange.ts'
import { type Frame, createSseParser } from '../../support/sse-parser.ts'

/** How a client reads one turn to its end, however often its connection is lost. */
export interface Reading {
  /** Repeated while no event has arrived: it has to be safe to repeat. */
  readonly begin: Exchange
  resume(lastId: string): Exchange
  /** Called when the headers of an answer are there; the body is read when it resolves. */
  beforeReading?(response: IncomingMessage): Promise<void>
}

export interface ReadTurn {
  /** Every complete event, in the order in which it arrived. */
  readonly frames: readonly Frame[]
  readonly connections: number
}

const MOST_CONNECTIONS = 200

/** Only whole events count; what a cut leaves of one is forgotten, as a browser forgets it. */
export async function readThroughCuts(reading: Reading): Promise<ReadTurn> {
  const frames: Frame[] = []
  for (let connections = 1; connections <= MOST_CONNECTIONS; connections++) {
    const lastId = frames.at(-1)?.id
    await readOnce(lastId === undefined ? reading.begin : reading.resume(lastId), reading, frames)
    if (frames.at(-1)?.event === 'turn_stop') return { frames, connections }
  }
  throw new Error(`the turn did not stop within ${MOST_CONNECTIONS} connections`)
}

async function readOnce(exchange: Exchange, { beforeReading }: Reading, frames: Frame[]): Promise<void> {
  const parser = createSseParser()
  try {
    const response = await beginExchange(exchange)
    if (response.statusCode !== 200) throw new Refused(`${exchange.method} ${exchange.url}: ${response.statusCode}`)
    await beforeReading?.(response)
    for await (const bytes of response) frames.push(...parser.feed(bytes as Uint8Array))
    parser.end()
  } catch (error) {
    if (!isLostConnection(error)) throw error
  }
}

class Refused extends Error {}

function isLostConnection(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

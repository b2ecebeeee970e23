import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** What the witness inside a server says. Delays are those of the event loop since the start. */
export interface Testimony {
  /** Properties that built-in prototypes did not have at the start. */
  readonly strangeNames: readonly string[]
  /** After garbage was collected. */
  readonly rss: number
  readonly heapUsed: number
  readonly external: number
  readonly delayP99Ms: number
  readonly delayMaxMs: number
  /** Of Node, since the witness was asked last. */
  readonly warnings: readonly string[]
}

export async function askWitness(path: string): Promise<Testimony> {
  return JSON.parse(await text(connect(path))) as Testimony
}

const WITNESS = new URL('./witness.ts', import.meta.url).href

/** The environment that puts a witness into a server. */
export function witnessEnvironment(path: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--expose-gc --import=${WITNESS}`, BAD_INPUT_WITNESS: path }
}

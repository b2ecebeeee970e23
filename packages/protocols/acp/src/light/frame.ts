// The parts of a JSON-RPC frame that a relay needs.
import { isObject } from '../is-object.ts'

export type FrameId = string | number

export interface Frame {
  readonly jsonrpc?: unknown
  readonly id?: FrameId
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: unknown
}

const decoder = new TextDecoder()

/** `undefined`: neither a request, a notification nor an answer. */
export function parseFrame(line: Uint8Array): Frame | undefined {
  const value = parseJson(decoder.decode(line))
  if (!isObject(value)) return undefined
  const { jsonrpc, id, method, params, result, error } = value
  return {
    jsonrpc,
    ...(typeof id === 'string' || typeof id === 'number' ? { id } : {}),
    ...(typeof method === 'string' && { method }),
    ...(isObject(params) && { params }),
    ...('result' in value && { result }),
    ...('error' in value && { error }),
  }
}

export function writeFrame(frame: Omit<Frame, 'jsonrpc'>): Uint8Array {
  return Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`)
}

export const isAnswer = (frame: Frame): frame is Frame & { readonly id: FrameId } =>
  frame.id !== undefined && frame.method === undefined && ('result' in frame || 'error' in frame)

/** `1` and `"1"` are two ids. */
export const keyOf = (id: FrameId): string => JSON.stringify(id)

/** The same frame with a change; everything else stays as it was written. */
export function rewriteFrame(
  line: Uint8Array,
  change: (value: Readonly<Record<string, unknown>>) => object,
): Uint8Array {
  const value = parseJson(decoder.decode(line))
  return isObject(value) ? Buffer.from(`${JSON.stringify(change(value))}\n`) : line
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

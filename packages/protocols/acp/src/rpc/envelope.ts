import { findJsonProblem } from '@polylogue/kit/light'
import { isObject } from '../is-object.ts'
import { CODES } from './rpc-error.ts'

export type RpcId = string | number | null

/** Longest id and method name; answers repeat both. */
const LONGEST_NAME = 255
/** Limits of one frame. Strings may be as long as the frame. */
const MAX_KEYS = 10_000
const MAX_KEY_LENGTH = 1024

/** One parsed line. */
export type Incoming =
  | { readonly type: 'request'; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly type: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly type: 'response'; readonly id: RpcId; readonly result: unknown; readonly error: unknown }
  | { readonly type: 'invalid'; readonly id: RpcId; readonly code: number; readonly message: string }

/** Returns `undefined` for a blank line. */
export function readEnvelope(line: string, depth: number): Incoming | undefined {
  if (line.trim() === '') return undefined
  const problem = findJsonProblem(line, { depth, keys: MAX_KEYS, keyLength: MAX_KEY_LENGTH })
  if (problem !== undefined) return invalid(null, problem.message)
  let frame: unknown
  try {
    frame = JSON.parse(line)
  } catch {
    return { type: 'invalid', id: null, code: CODES.parse, message: 'not JSON' }
  }
  return isObject(frame) ? classify(frame) : invalid(null, 'a frame must be a JSON object')
}

function classify(frame: Readonly<Record<string, unknown>>): Incoming {
  const { id, method, params, result, error } = frame
  const known = isId(id) ? id : null
  if (frame['jsonrpc'] !== '2.0') return invalid(known, 'jsonrpc: must be "2.0"')
  if (method !== undefined) {
    if (typeof method !== 'string' || method === '') return invalid(known, 'method: must be a string')
    if (method.length > LONGEST_NAME) return invalid(known, `method: more than ${LONGEST_NAME} characters`)
    if (id === undefined) return { type: 'notification', method, params }
    if (isId(id)) return { type: 'request', id, method, params }
    return invalid(null, `id: must be a string of at most ${LONGEST_NAME} characters, a number or null`)
  }
  if (id === undefined || (result === undefined && error === undefined)) {
    return invalid(known, 'neither a request nor a response')
  }
  return { type: 'response', id: known, result, error }
}

const isId = (id: unknown): id is RpcId =>
  typeof id === 'string' ? id.length <= LONGEST_NAME : typeof id === 'number' || id === null

const invalid = (id: RpcId, message: string): Incoming => ({
  type: 'invalid',
  id,
  code: CODES.invalidRequest,
  message: `invalid request: ${message}`,
})

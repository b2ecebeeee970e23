import type { JsonValue } from '@polylogue/engine'
import { checkJsonShape, type JsonLimits } from './check-json-shape.ts'
import { WireError } from './errors.ts'

/**
 * Parses a body whose shape was looked at first, without recursion: `JSON.parse` takes any depth, and what is too deep
 * fails much later, wherever it is written out again; a number beyond all doubles would come back as `null`.
 */
export function parseJsonBody(bytes: Buffer, limits: JsonLimits): JsonValue {
  if (bytes.length === 0) throw new WireError(400, 'body: expected JSON, received nothing')
  const text = decodeUtf8(bytes)
  checkJsonShape(bytes, limits)
  try {
    return JSON.parse(text) as JsonValue
  } catch (error) {
    if (error instanceof SyntaxError) throw new WireError(400, 'body: not valid JSON')
    throw error
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) throw new WireError(400, 'body: not valid UTF-8')
    throw error
  }
}

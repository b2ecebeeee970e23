import type { JsonValue } from '@polylogue/engine'
import { findJsonProblem, type JsonTextLimits } from './find-json-problem.ts'

/** The limits on the JSON that clients send, as an operator sets them. */
export interface JsonLimits {
  readonly depth: number
  /** Keys of all objects together. */
  readonly keys: number
  /** UTF-16 units of one string, except images as `data:` URIs: those may fill the body. */
  readonly stringLength: number
}

/** JSON that is not read. The message names the reason and quotes nothing. */
export class JsonRefused extends Error {}

const IMAGE = /data:image/y

/**
 * Parses bytes after checking them against the limits. `JSON.parse` accepts any depth, and a value that is too deep
 * fails much later, wherever it is written again; a number beyond all doubles would come back as `null`.
 */
export function parseJson(bytes: Uint8Array, limits: JsonLimits): JsonValue {
  if (bytes.length === 0) throw new JsonRefused('expected JSON, received nothing')
  return parseJsonText(decodeUtf8(bytes), { ...limits, bulk: IMAGE })
}

export function parseJsonText(text: string, limits: JsonTextLimits): JsonValue {
  const problem = findJsonProblem(text, limits)
  if (problem !== undefined) throw new JsonRefused(problem.message)
  try {
    return JSON.parse(text) as JsonValue
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonRefused('not valid JSON')
    throw error
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) throw new JsonRefused('not valid UTF-8')
    throw error
  }
}

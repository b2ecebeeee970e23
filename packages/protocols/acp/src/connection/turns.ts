import type { PromptResponse } from '@agentclientprotocol/sdk'
import { canonicalJson, textOf, type IdempotencyKey, type JsonValue } from '@polylogue/engine'
import { z } from 'zod'
import { promptOf } from '../command-prompts.ts'
import { commandsWith, findCommand } from '../slash-command-list.ts'
import { parsePrompt } from '../content-blocks.ts'
import { parseParams, type Params } from '../parse-params.ts'
import { isObject } from '../is-object.ts'
import type { Exchange } from '../rpc/rpc-peer.ts'
import type { Connection } from './connection.ts'
import { runSlashCommand } from './slash-commands.ts'

const MESSAGE_ID = 'polylogue/messageId'
const messageId = z.string().min(1, 'must not be empty').max(255, 'must be at most 255 characters')

/** `session/prompt` */
export async function prompt(connection: Connection, params: unknown, { signal }: Exchange): Promise<PromptResponse> {
  const { given, sessionId } = connection.paramsOf(params)
  const { prompts, session } = connection.opened(sessionId)
  const { deps, options } = connection
  const content = parsePrompt(given['prompt'], { profile: options.profile, digest: deps.digest })
  const command = findCommand(content.content, commandsWith({ hasMemory: deps.memories !== undefined }))
  const idempotency = readIdempotency(connection, given)
  const written = command && promptOf(command, textOf(content.content).trim())
  if (written !== undefined) return prompts.run({ ...written, idempotency }, signal)
  if (command !== undefined && command.name !== 'compact') return runSlashCommand(connection, session, command)
  return prompts.run({ ...content, idempotency, isCompaction: command !== undefined }, signal)
}

/** A client may send a prompt with a message id again. It then joins its first turn. */
function readIdempotency({ deps }: Connection, given: Params): IdempotencyKey | undefined {
  const { _meta: meta } = given
  if (!isObject(meta) || meta[MESSAGE_ID] === undefined) return undefined
  const key = parseParams(messageId, meta[MESSAGE_ID], `_meta.${MESSAGE_ID}`)
  // The value was parsed from JSON.
  return { key, fingerprint: deps.digest(canonicalJson(given['prompt'] as JsonValue)) }
}

/** `session/cancel`: succeeds when nothing runs, and fails for an unknown session. */
export async function cancel(connection: Connection, params: unknown): Promise<object> {
  const { sessionId } = connection.paramsOf(params)
  const opened = connection.sessions.get(sessionId)
  if (opened === undefined) {
    if ((await connection.find(sessionId)) === undefined) throw connection.unknown(sessionId)
    return {}
  }
  await opened.prompts.cancel()
  return {}
}

import type { PromptResponse } from '@agentclientprotocol/sdk'
import { canonicalJson, textOf, type IdempotencyKey, type JsonValue } from '@polylogue/engine'
import { z } from 'zod'
import { findCommand, findOwn } from '../slash-command-list.ts'
import { parsePrompt, type PromptContent } from '../content-blocks.ts'
import { parseParams, type Params } from '../parse-params.ts'
import { isObject } from '../is-object.ts'
import type { Exchange } from '../rpc/rpc-peer.ts'
import type { Connection } from './connection.ts'
import { LAYOUT } from '../projection/prompt-layout.ts'
import { runSlashCommand, sayToUser } from './slash-commands.ts'

const MESSAGE_ID = 'polylogue/messageId'
const messageId = z.string().min(1, 'must not be empty').max(255, 'must be at most 255 characters')

/** `session/prompt` */
export async function prompt(connection: Connection, params: unknown, { signal }: Exchange): Promise<PromptResponse> {
  const { given, sessionId } = connection.paramsOf(params)
  const { prompts, session } = connection.opened(sessionId)
  const { deps, options } = connection
  session.output.prompted()
  const content = parsePrompt(given['prompt'], { profile: options.profile, digest: deps.digest })
  const idempotency = readIdempotency(connection, given)
  const command = findCommand(content.content, session.commands())
  const own = command && findOwn(command.name)
  if (command === undefined || own === 'compact') {
    return prompts.run({ ...content, idempotency, isCompaction: own === 'compact' }, signal)
  }
  if (own !== undefined) return runSlashCommand(connection, session, { name: own, rest: command.rest })
  const answer = await deps.commands.run(session.commanded, command, signal)
  if (answer?.type === 'said') return sayToUser(session, answer.text)
  const written = answer && toWrittenPrompt(answer.text, textOf(content.content).trim())
  return prompts.run({ ...(written ?? content), idempotency }, signal)
}

/** The model reads the prompt; the history shows the command. */
const toWrittenPrompt = (content: string, typed: string): PromptContent => ({
  content,
  blobs: [],
  given: { [LAYOUT]: [{ type: 'text', length: content.length, text: typed }] },
  typed,
})

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

// Names that older clients still use, in none of the documents: acp.el offers `session/set_model`.
import { z } from 'zod'
import { parseParams } from '../parse-params.ts'
import type { Connection } from './connection.ts'
import { setModel } from './configuration.ts'

const named = z.object({ model: z.string().optional(), modelId: z.string().optional() })

/** How long contexts and answers may be is not for clients to say here, so only a model is taken. */
export async function setModelOfOld(connection: Connection, params: unknown): Promise<{ readonly model: string }> {
  const { given, sessionId } = connection.paramsOf(params)
  connection.opened(sessionId)
  const { model, modelId } = parseParams(named, given)
  const { model: _model, modelId: _modelId, ...rest } = given
  return setModel(connection, { ...rest, model: model ?? modelId })
}

export async function listModels(connection: Connection, params: unknown): Promise<object> {
  const { sessionId } = connection.paramsOf(params)
  connection.opened(sessionId)
  return { models: connection.deps.models.list().map(({ name }) => name) }
}

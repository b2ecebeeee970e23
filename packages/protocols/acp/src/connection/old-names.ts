// Methods that older clients use and that no document describes. For example, acp.el calls `session/set_model`.
import { z } from 'zod'
import { parseParams } from '../parse-params.ts'
import type { Connection } from './connection.ts'
import { setModel } from './configuration.ts'

const named = z.object({ model: z.string().optional(), modelId: z.string().optional() })

/** Only the model is accepted: clients cannot set the context or output length. */
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

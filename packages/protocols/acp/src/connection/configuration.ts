import type { SetSessionConfigOptionResponse } from '@agentclientprotocol/sdk'
import type { SetSessionTitleResponse } from '@agentclientprotocol/sdk/unstable'
import { EngineError, cutAtCharacter, type SessionChanges, type SessionId } from '@polylogue/engine'
import { DEFAULT_THINKING, THINKING_OPTION } from '../config-options.ts'
import { invalidRequest } from '../errors.ts'
import { ofProvider, parseModelValue, providerOf, type ModelChoice } from '../model-names.ts'
import { MODE_LABEL, MODE_PRESET_LABEL, allowedModes, findPreset } from '../modes.ts'
import { refuseOtherKeys, type Params } from '../parse-params.ts'
import { isObject } from '../is-object.ts'
import { invalidParams } from '../rpc/rpc-error.ts'
import type { AcpSession } from '../session/acp-session.ts'
import type { Connection } from './connection.ts'

/** In UTF-16 units. */
const LONGEST_TITLE = 200
const TRACE_KEYS = ['traceparent', 'tracestate', 'baggage']

/** `session/set_config_option` */
export async function setConfigOption(
  connection: Connection,
  params: unknown,
): Promise<SetSessionConfigOptionResponse> {
  const { given, sessionId } = connection.paramsOf(params)
  const { session } = connection.opened(sessionId)
  refuseForeignKeys(connection, given)
  const { configId, value } = given
  const option = session.choices.configOptions.find(({ id }) => id === configId)
  if (option === undefined) throw invalidRequest('configId: unknown option', 'unknown_config_option')
  if (given['type'] !== undefined && given['type'] !== option.type)
    throw invalidParams('type', `must be ${option.type}`)
  if (typeof value !== 'string' || value.trim() === '')
    throw invalidParams('value', 'must be a string that is not blank')
  if (option.id === 'mode') await chooseMode(connection, session, value)
  else if (option.id === THINKING_OPTION) await chooseThinking(connection, session, value)
  else await chooseModel(connection, session, parseModelValue(value, session.choices.model ?? ''))
  return { configOptions: session.choices.configOptions }
}

/** `_agentao.cn/set_model`: accepts any model of the session's current provider. */
export async function setModel(connection: Connection, params: unknown): Promise<{ readonly model: string }> {
  const { given, sessionId } = connection.paramsOf(params)
  const { session } = connection.opened(sessionId)
  refuseOtherKeys(given, ['sessionId', 'model'])
  const { model } = given
  if (typeof model !== 'string' || model.trim() === '')
    throw invalidParams('model', 'must be a string that is not blank')
  await chooseModel(connection, session, ofProvider(providerOf(session.choices.model ?? ''), model.trim()))
  session.output.tell({ sessionUpdate: 'config_option_update', configOptions: session.choices.configOptions })
  return { model: model.trim() }
}

/** `session/set_mode`: accepts a preset, or a mode name of the client, which changes no permissions. */
export async function setMode(connection: Connection, params: unknown): Promise<{ readonly modeId: string }> {
  const { given, sessionId } = connection.paramsOf(params)
  const { session } = connection.opened(sessionId)
  const { modeId } = given
  if (typeof modeId !== 'string' || modeId === '') throw invalidParams('modeId', 'must be a string that is not empty')
  if (findPreset(modeId) === undefined) await keepOwnMode(connection, session, modeId)
  else {
    await choosePreset(connection, session, { modeId, field: 'modeId' })
    if (connection.options.profile === 'standard') {
      session.output.tell({ sessionUpdate: 'config_option_update', configOptions: session.choices.configOptions })
    }
  }
  session.output.tell({ sessionUpdate: 'current_mode_update', currentModeId: modeId })
  return { modeId }
}

/** `session/set_title`. The session need not be open here. Its clients get the title with `session_info_update`. */
export async function setTitle(connection: Connection, params: unknown): Promise<SetSessionTitleResponse> {
  const { given, sessionId } = connection.paramsOf(params)
  if (typeof given['title'] !== 'string') throw invalidParams('title', 'must be a string')
  const title = cutAtCharacter(given['title'].trim().replace(/\s+/g, ' '), LONGEST_TITLE).trim()
  if (title === '') throw invalidParams('title', 'must not be blank')
  if ((await connection.find(sessionId)) === undefined) throw connection.unknown(sessionId)
  const { userId } = connection.options
  await connection.deps.engine.execute({ type: 'configure-session', userId, sessionId, changes: { title } })
  return { title }
}

/** An unknown key may hold a credential: refuse it, and never repeat its value. */
function refuseForeignKeys({ options }: Connection, given: Params): void {
  const isStandard = options.profile === 'standard'
  const { _meta: meta } = given
  const isTrace = isStandard && isObject(meta) && Object.keys(meta).every((key) => TRACE_KEYS.includes(key))
  refuseOtherKeys(given, [
    'sessionId',
    'configId',
    'value',
    ...(isStandard ? ['type'] : []),
    ...(isTrace ? ['_meta'] : []),
  ])
}

async function chooseMode(connection: Connection, session: AcpSession, value: string): Promise<void> {
  await choosePreset(connection, session, { modeId: value, field: 'value' })
  session.output.tell({ sessionUpdate: 'current_mode_update', currentModeId: value })
}

async function chooseThinking(connection: Connection, session: AcpSession, value: string): Promise<void> {
  const { model } = session.choices
  const levels = (model === undefined ? undefined : connection.deps.models.find(model)?.model.thinkingLevels) ?? []
  if (value !== DEFAULT_THINKING && !levels.includes(value)) throw invalidParams('value', 'is not one of the levels')
  await configure(connection, session, { thinking: value === DEFAULT_THINKING ? '' : value })
}

async function choosePreset(
  connection: Connection,
  session: AcpSession,
  { modeId, field }: { readonly modeId: string; readonly field: string },
): Promise<void> {
  const preset = allowedModes(connection.options.rights.presets).find(({ id }) => id === modeId)?.id
  if (preset === undefined) throw invalidParams(field, 'is not one of the modes')
  const labels = { [MODE_LABEL]: '', [MODE_PRESET_LABEL]: '' }
  await configure(connection, session, { preset, labels })
}

const keepOwnMode = (connection: Connection, session: AcpSession, modeId: string): Promise<void> =>
  configure(connection, session, { labels: { [MODE_LABEL]: modeId, [MODE_PRESET_LABEL]: session.choices.preset } })

/** Sends no update. */
export async function chooseModel(connection: Connection, session: AcpSession, choice: ModelChoice): Promise<void> {
  const { provider, name } = choice
  if (!(await canResolve(connection, session.sessionId, provider)) || connection.deps.models.find(name) === undefined) {
    throw cannotResolve(provider)
  }
  try {
    await configure(connection, session, { model: name })
  } catch (error) {
    if (error instanceof EngineError && error.code === 'unknown-model') throw cannotResolve(provider)
    throw error
  }
}

const cannotResolve = (provider: string): Error =>
  invalidRequest(`cannot resolve provider '${provider.slice(0, 64)}'`, 'provider_not_resolved')

/** An error of a resolver may contain a key: log only its name. */
async function canResolve({ deps, options }: Connection, sessionId: SessionId, provider: string): Promise<boolean> {
  try {
    return await deps.providers.canResolve(provider, options.profile)
  } catch (error) {
    const problem = error instanceof Error ? error.name : typeof error
    deps.log({ level: 'warn', message: 'a provider could not be resolved', sessionId, provider, problem })
    return false
  }
}

function configure({ deps, options }: Connection, session: AcpSession, changes: SessionChanges): Promise<void> {
  const { userId } = options
  const { sessionId } = session
  return session.changing(() => deps.engine.execute({ type: 'configure-session', userId, sessionId, changes }))
}

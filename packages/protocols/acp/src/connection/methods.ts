import type { FollowMessage } from '@polylogue/kit'
import { toRpcError } from '../errors.ts'
import { isObject } from '../is-object.ts'
import { SET_MODEL, answerInitialize } from '../light/initialize-answer.ts'
import { invalidParams } from '../rpc/rpc-error.ts'
import type { RequestMethod, RpcMethods } from '../rpc/rpc-peer.ts'
import { setConfigOption, setMode, setModel, setTitle } from './configuration.ts'
import type { Connection } from './connection.ts'
import { parseHandshake } from './handshake.ts'
import { deleteSession, endSession, forkSession, loadSession, newSession } from './lifecycle.ts'
import { listModels, setModelOfOld } from './old-names.ts'
import { listSessions } from './list-sessions.ts'
import { cancel, prompt } from './turns.ts'

const NOT_IN_SEED = ['session/fork', 'session/set_title']

/** All methods of this agent. Any other method is not found. */
export function toMethods(connection: Connection): RpcMethods {
  const { deps, options } = connection
  const requests = new Map<string, RequestMethod>([
    [
      'initialize',
      async (params) => {
        const { abilities, clientName } = parseHandshake(params, options.profile)
        connection.abilities = abilities
        connection.clientName = clientName
        return answerInitialize(options.profile, deps.version)
      },
    ],
    [
      'authenticate',
      async () => {
        throw invalidParams('methodId', 'there is nothing to authenticate with')
      },
    ],
    ['session/new', (params, exchange) => newSession(connection, params, exchange)],
    ['session/load', (params, exchange) => loadSession(connection, params, { ...exchange, past: 'now' })],
    ['session/resume', (params, exchange) => loadSession(connection, params, { ...exchange, past: 'never' })],
    ['session/list', (params) => listSessions(connection, params)],
    ['session/fork', (params, exchange) => forkSession(connection, params, exchange)],
    ['session/set_title', (params) => setTitle(connection, params)],
    ['session/close', (params) => endSession(connection, params)],
    ['session/delete', (params) => deleteSession(connection, params)],
    ['session/prompt', (params, exchange) => prompt(connection, params, exchange)],
    ['session/cancel', (params) => cancel(connection, params)],
    ['session/set_mode', (params) => setMode(connection, params)],
    ['session/set_config_option', (params) => setConfigOption(connection, params)],
    [SET_MODEL, (params) => setModel(connection, params)],
    ['session/set_model', (params) => setModelOfOld(connection, params)],
    ['session/list_models', (params) => listModels(connection, params)],
  ])
  if (options.profile === 'seed') for (const method of NOT_IN_SEED) requests.delete(method)
  return {
    requests: deps.follow === undefined ? requests : followed(requests, deps.follow),
    notifications: new Map([
      [
        'session/cancel',
        async (params) => {
          await cancel(connection, params)
        },
      ],
    ]),
    toError: (error, method, params) => {
      const sessionId = isObject(params) ? params['sessionId'] : undefined
      return toRpcError(error, {
        profile: options.profile,
        method,
        ...(typeof sessionId === 'string' && { sessionId }),
        log: (entry) => deps.log(entry),
      })
    },
  }
}

function followed(requests: Map<string, RequestMethod>, follow: FollowMessage): Map<string, RequestMethod> {
  const entries = [...requests].map(([name, method]): [string, RequestMethod] => [
    name,
    (params, exchange) => follow(name, () => method(params, exchange)),
  ])
  return new Map(entries)
}

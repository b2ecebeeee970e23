import type { InitializeResponse } from '@agentclientprotocol/sdk'
import type { AcpProfile } from '../deps.ts'
import { isObject } from '../is-object.ts'
import type { Frame } from './frame.ts'

export const ASK_USER = '_agentao.cn/ask_user'
export const SET_MODEL = '_agentao.cn/set_model'

/**
 * The answer to `initialize`. It depends on nothing that is on disk, so the relay gives it before anything is loaded: an
 * editor draws nothing until it has it. A client of another protocol version gets ours, and decides for itself.
 */
export function answerInitialize(profile: AcpProfile, version: string): InitializeResponse {
  const isStandard = profile === 'standard'
  return {
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: isStandard, audio: false, embeddedContext: isStandard },
      mcpCapabilities: { sse: true, http: isStandard },
      sessionCapabilities: {
        list: {},
        resume: {},
        close: {},
        delete: {},
        ...(isStandard && { additionalDirectories: {}, fork: {}, title: {} }),
      },
    },
    authMethods: [],
    agentInfo: { name: 'polylogue', title: 'Polylogue', version },
    _meta: {
      '_agentao.cn/extensions': [
        { method: ASK_USER, description: 'The agent asks the user a question and waits for the answer' },
        { method: SET_MODEL, description: 'Sets the model of a session, at the provider that it has' },
      ],
    },
  }
}

/** Whether an `initialize` request is valid. For any other the door says what is wrong. */
export function isPlainInitialize({ jsonrpc, id, method, params }: Frame, profile: AcpProfile): boolean {
  if (jsonrpc !== '2.0' || id === undefined || method !== 'initialize' || params === undefined) return false
  const { protocolVersion, clientCapabilities, clientInfo } = params
  return (
    Number.isInteger(protocolVersion) &&
    (isObject(clientCapabilities) || (clientCapabilities === undefined && profile === 'standard')) &&
    (isObject(clientInfo) || clientInfo === undefined)
  )
}

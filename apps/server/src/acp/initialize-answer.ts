import { isObject, type Frame } from './frame.ts'
import type { AcpHandshake } from './handshake.ts'

/**
 * What the door answers to `initialize`, known without loading it: an editor waits for this before it draws anything,
 * and the answer depends on nothing that is on disk. A test compares it with the door's own.
 */
export function answerInitialize(profile: AcpHandshake['profile'], version: string): object {
  const isStandard = profile === 'standard'
  return {
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: isStandard, audio: false, embeddedContext: isStandard },
      mcpCapabilities: { sse: true, http: isStandard },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
    },
    authMethods: [],
    agentInfo: { name: 'polylogue', title: 'Polylogue', version },
    _meta: {
      '_agentao.cn/extensions': [
        { method: '_agentao.cn/ask_user', description: 'The agent asks the user a question and waits for the answer' },
        { method: '_agentao.cn/set_model', description: 'Sets the model of a session, at the provider that it has' },
      ],
    },
  }
}

/** Whether nothing is wrong with it. What is wrong with any other, the door says. */
export function isPlainInitialize({ jsonrpc, id, method, params }: Frame, profile: AcpHandshake['profile']): boolean {
  if (jsonrpc !== '2.0' || id === undefined || method !== 'initialize' || params === undefined) return false
  const { protocolVersion, clientCapabilities, clientInfo } = params
  return (
    Number.isInteger(protocolVersion) &&
    (isObject(clientCapabilities) || (clientCapabilities === undefined && profile === 'standard')) &&
    (isObject(clientInfo) || clientInfo === undefined)
  )
}

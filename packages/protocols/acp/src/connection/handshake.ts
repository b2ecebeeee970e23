import type { InitializeResponse } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import { readAbilities, type ClientAbilities } from '../client-abilities.ts'
import type { AcpProfile } from '../deps.ts'
import { parseParams, toParams } from '../parse-params.ts'
import { ASK_USER } from '../session/ask-question.ts'

const PROTOCOL_VERSION = 1
export const SET_MODEL = '_agentao.cn/set_model'

const clientInfo = z.object({}).loose().nullish()
const version = z.int('must be an integer')
const handshake = z.object({
  protocolVersion: version,
  clientCapabilities: z.record(z.string(), z.unknown()).default({}),
  clientInfo,
})
const handshakeOfSeed = z.object({
  protocolVersion: version,
  clientCapabilities: z.record(z.string(), z.unknown()),
  clientInfo,
})

export function parseHandshake(params: unknown, profile: AcpProfile): ClientAbilities {
  const schema = profile === 'seed' ? handshakeOfSeed : handshake
  return readAbilities(parseParams(schema, toParams(params)).clientCapabilities)
}

/** A client of another version is told ours, and decides for itself. */
export function toHandshake(profile: AcpProfile, ourVersion: string): InitializeResponse {
  const isStandard = profile === 'standard'
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: isStandard, audio: false, embeddedContext: isStandard },
      mcpCapabilities: { sse: true, http: isStandard },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
    },
    authMethods: [],
    agentInfo: { name: 'polylogue', title: 'Polylogue', version: ourVersion },
    _meta: {
      '_agentao.cn/extensions': [
        { method: ASK_USER, description: 'The agent asks the user a question and waits for the answer' },
        { method: SET_MODEL, description: 'Sets the model of a session, at the provider that it has' },
      ],
    },
  }
}

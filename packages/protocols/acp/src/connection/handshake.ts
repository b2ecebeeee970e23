import type { InitializeResponse } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import { readAbilities, type ClientAbilities } from '../client-abilities.ts'
import type { AcpProfile } from '../deps.ts'
import { parseParams, toParams } from '../parse-params.ts'
import { ASK_USER } from '../session/ask-question.ts'

const PROTOCOL_VERSION = 1
/** Of a client's name, which is shown to people. */
const LONGEST_NAME = 100
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

export interface ClientHandshake {
  readonly abilities: ClientAbilities
  readonly clientName: string | undefined
}

export function parseHandshake(params: unknown, profile: AcpProfile): ClientHandshake {
  const schema = profile === 'seed' ? handshakeOfSeed : handshake
  const { clientCapabilities, clientInfo } = parseParams(schema, toParams(params))
  const name = clientInfo?.['title'] ?? clientInfo?.['name']
  return {
    abilities: readAbilities(clientCapabilities),
    clientName: typeof name === 'string' ? name.slice(0, LONGEST_NAME) : undefined,
  }
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

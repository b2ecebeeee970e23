import { z } from 'zod'
import { readAbilities, type ClientAbilities } from '../client-abilities.ts'
import type { AcpProfile } from '../deps.ts'
import { parseParams, toParams } from '../parse-params.ts'

/** Longest client name; people see it in the console. */
const LONGEST_NAME = 100

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
  const program = clientInfo?.['name']
  const name = clientInfo?.['title'] ?? program
  return {
    abilities: readAbilities(clientCapabilities, typeof program === 'string' ? program : undefined),
    clientName: typeof name === 'string' ? name.slice(0, LONGEST_NAME) : undefined,
  }
}

import { z } from 'zod'
import type { AcpHandshake } from './light/handshake.ts'

const handshakeSchema = z.object({
  agent: z.string().min(1).max(200).optional(),
  profile: z.enum(['standard', 'seed']),
  resume: z.object({ selector: z.string().min(1).max(200).optional(), replay: z.enum(['before', 'after']) }).optional(),
})

/** Reads what `writeHandshake` wrote; `undefined` for anything else. */
export function parseHandshake(written: string): AcpHandshake | undefined {
  const parsed = handshakeSchema.safeParse(decode(written))
  return parsed.success ? parsed.data : undefined
}

function decode(text: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(text))
  } catch {
    return undefined
  }
}

import { ownLevel, type NodeFacts, type NodeRole } from '@polylogue/engine'
import { hostname } from 'node:os'
import { randomBytes } from '../platform/random-bytes.ts'
import { readVersion } from '../version.ts'

/** This process, as it introduces itself to the others that use the same storage. */
export function describeSelf(role: NodeRole, url?: string): NodeFacts {
  return {
    nodeId: `${process.pid}-${Buffer.from(randomBytes(6)).toString('hex')}`,
    role,
    version: readVersion(),
    machine: hostname(),
    pid: process.pid,
    level: ownLevel(),
    ...(url !== undefined && { url }),
  }
}

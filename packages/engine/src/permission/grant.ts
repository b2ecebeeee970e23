import type { Grant, GrantedCall } from '../ports/grant.ts'
import { canonicalJson } from '../canonical-json.ts'
import type { Digest } from '../ports/ids.ts'

const issued = new WeakSet<Grant>()

/** A call is hashed for its approval, for its start and for its grant. */
const hashes = new WeakMap<GrantedCall, string>()

/** Binds an approval to exactly what will run. Contract: calls do not change, and there is one `digest`. */
export function hashCall(call: GrantedCall, digest: Digest): string {
  const known = hashes.get(call)
  if (known !== undefined) return known
  const hash = hashAnew(call, digest)
  hashes.set(call, hash)
  return hash
}

function hashAnew(call: GrantedCall, digest: Digest): string {
  const { tool, input, cwd, policy, definition, guarded, isHarmless, textFrom, network, writes, place } = call
  const also = {
    ...(definition !== undefined && { definition }),
    ...(guarded !== undefined && { guarded }),
    ...(isHarmless && { isHarmless }),
    ...(textFrom !== undefined && { textFrom }),
    ...(network && { network }),
    ...(writes !== undefined && { writes: [...writes] }),
    ...(place !== undefined && { place }),
  }
  return digest(canonicalJson({ tool, input, cwd, policy, ...also }))
}

export function issueGrant(call: GrantedCall, digest: Digest): Grant {
  const grant: Grant = Object.freeze({ call: Object.freeze({ ...call }), callHash: hashCall(call, digest) })
  issued.add(grant)
  return grant
}

/** For exactly what a person asked for, such as a picture at an address that they saw. There is no model to judge. */
export const grantToPerson = (call: Pick<GrantedCall, 'tool' | 'input'>, digest: Digest): Grant =>
  issueGrant({ ...call, cwd: '/', policy: 'asked-for-by-a-person' }, digest)

/**
 * Throws unless `grant` was issued here for this tool. Code that spawns, writes, fetches or calls out checks this
 * first, so that nothing has an effect without passing the judge.
 */
export function requireGrant(grant: Grant, tool: string): void {
  if (!issued.has(grant)) throw new Error('no grant was issued for this call')
  if (grant.call.tool !== tool) throw new Error(`the grant is for ${grant.call.tool}, not for ${tool}`)
}

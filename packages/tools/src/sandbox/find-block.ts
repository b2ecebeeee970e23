// Whether the sandbox made a command fail, and with what. It goes by what the sandbox withheld: no answer without a mount or
// a namespace that explains the failure.
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { isWithin } from '../protected/path-order.ts'
import type { SandboxPlan } from './sandbox-argv.ts'

export type Block =
  | { readonly type: 'no-network' }
  | { readonly type: 'read-only' | 'hidden' | 'not-visible' | 'lost'; readonly path: string }

export interface SandboxedEnd {
  readonly plan: SandboxPlan
  readonly hasFailed: boolean
  readonly printed: string
  /** The kernel refused a packet of the command. */
  readonly wasNetworkRefused: boolean
  /** Paths outside of the workspace that the text of the command writes, and that the sandbox did not open. */
  readonly closed: readonly string[]
  /** Whether the user may learn which paths exist on the machine. */
  readonly isOwn: boolean
}

/** What resolvers and clients print when there is no network. */
const NETWORK_ERRORS =
  /could not resolve (?:host|proxy)|temporary failure in name resolution|name or service not known|nodename nor servname|\b(?:EAI_AGAIN|ENETUNREACH|ENOTFOUND|EAI_NONAME)\b|network is (?:unreachable|down)|failed to lookup address|unable to resolve host|no address associated with hostname|dial (?:tcp|udp).{0,200}(?:lookup|unreachable)|failed to establish a new connection|couldn't connect to server|bad address/i

/** The part of the output that is searched, from its end. */
const SEARCHED = 32 * 1024

export function findBlock(end: SandboxedEnd): Block | undefined {
  const { plan, hasFailed, wasNetworkRefused, closed } = end
  const printed = end.printed.slice(-SEARCHED)
  if (!hasFailed) {
    const lost = closed.find((path) => isScratch(path, plan))
    return lost === undefined ? undefined : { type: 'lost', path: lost }
  }
  if (!plan.network && (wasNetworkRefused || NETWORK_ERRORS.test(printed))) return { type: 'no-network' }
  for (const line of printed.split('\n')) {
    const found = blockIn(line, end)
    if (found !== undefined) return found
  }
  return undefined
}

const READ_ONLY = /read-only file system|\bEROFS\b/i
const REFUSED = /permission denied|operation not permitted|\bE(?:ACCES|PERM)\b|\b(?:isn't|not) write?able/i
const MISSING =
  /no such file or directory|not found|cannot find|does not exist|\bENOENT\b|cannot connect to the docker daemon|connect to .{0,80} through socket/i
const PATH = /(?<![\w.~-])\/[\w.@%+~-][\w.@%+~/-]*/g

function blockIn(line: string, { plan, isOwn, closed }: SandboxedEnd): Block | undefined {
  const isReadOnly = READ_ONLY.test(line)
  const isRefused = REFUSED.test(line)
  const isMissing = MISSING.test(line)
  if (!isReadOnly && !isRefused && !isMissing) return undefined
  const paths = [...line.matchAll(PATH)].map(([path]) => path.replace(/(?<![.:])[.:]+$/, ''))
  // The path in question is mostly the last one: a shell names itself first.
  for (const path of paths.toReversed()) {
    const mount = mountOf(path, plan)
    if (mount?.type === 'hidden') return { type: 'hidden', path }
    if (isReadOnly && mount?.type !== 'write') return { type: 'read-only', path }
    // A plain user may not write there without a sandbox either.
    if (isOwn && isRefused && mount?.type === 'read' && isWritable(path)) return { type: 'read-only', path }
    if (isOwn && isMissing && (mount === undefined || mount.type === 'scratch') && existsSync(path)) {
      return { type: 'not-visible', path }
    }
  }
  if (!isReadOnly) return undefined
  return { type: 'read-only', path: closed[0] ?? '' }
}

/** The innermost mount that a path lies in. */
function mountOf(path: string, { mounts }: SandboxPlan) {
  return mounts
    .filter((mount) => isWithin(path, mount.path))
    .reduce<(typeof mounts)[number] | undefined>(
      (best, mount) => (best === undefined || mount.path.length >= best.path.length ? mount : best),
      undefined,
    )
}

const isScratch = (path: string, plan: SandboxPlan): boolean => mountOf(path, plan)?.type === 'scratch'

function isWritable(path: string): boolean {
  for (const place of [path, dirname(path)]) {
    if (!existsSync(place)) continue
    try {
      accessSync(place, constants.W_OK)
      return true
    } catch {
      return false
    }
  }
  return false
}

/** One sentence for the model and the user. */
export function describeBlock(block: Block): string {
  switch (block.type) {
    case 'no-network':
      return 'The sandbox stopped this command: it had no network.'
    case 'read-only':
      return block.path === ''
        ? 'The sandbox stopped this command: it wrote to a path that is read-only there.'
        : `The sandbox stopped this command: ${block.path} is read-only there.`
    case 'hidden':
      return `The sandbox stopped this command: ${block.path} is protected and hidden there.`
    case 'not-visible':
      return `The sandbox stopped this command: ${block.path} is not visible there.`
    case 'lost':
      return `What this command wrote to ${block.path} is lost: in the sandbox, that folder is empty and private to each call.`
  }
}

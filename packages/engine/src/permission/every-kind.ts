import type { Tool } from '../ports/tool.ts'
import type { CallFacts } from '../events/call-facts.ts'

/** For each type of facts, the variants that a preset treats differently, including the mildest. */
const KINDS: { readonly [type in CallFacts['type']]: readonly CallFacts[] } = {
  plain: [{ type: 'plain' }],
  'read-files': [{ type: 'read-files' }],
  'write-files': [{ type: 'write-files' }],
  shell: (['safe', 'other', 'sensitive', 'dangerous'] as const).map((risk) => ({
    type: 'shell',
    risk,
    isUnderstood: true,
    hasWrapper: false,
  })),
  // For a host that is on no list, which no preset denies.
  fetch: [{ type: 'fetch', isPrivateAddress: false }],
  notes: [{ type: 'notes' }],
  skill: [{ type: 'skill' }],
  question: [{ type: 'question' }],
  agent: [{ type: 'agent' }],
}

const EVERY_KIND = Object.values(KINDS).flat()

/**
 * All kinds of calls that a tool can make. A tool that inspects its calls and declares no `nature` can make every kind.
 */
export function everyKindOf({ inspect, nature, performer }: Tool): readonly CallFacts[] {
  if (inspect === undefined) return KINDS[performer === 'user' ? 'question' : performer === 'agent' ? 'agent' : 'plain']
  return nature === undefined ? EVERY_KIND : KINDS[nature]
}

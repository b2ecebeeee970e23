import type { Tool } from '../ports/tool.ts'
import type { CallFacts } from '../events/call-facts.ts'

/** For every type of facts, the calls of it that a preset treats differently, the mildest included. */
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
  // Of a host that is on no list: no preset denies it.
  fetch: [{ type: 'fetch', isPrivateAddress: false }],
  notes: [{ type: 'notes' }],
  skill: [{ type: 'skill' }],
  question: [{ type: 'question' }],
  agent: [{ type: 'agent' }],
}

/** Every kind of call that a tool can turn out to make; all of them when it inspects calls and does not say. */
export function everyKindOf({ inspect, nature, performer }: Tool): readonly CallFacts[] {
  if (inspect === undefined) return KINDS[performer === 'user' ? 'question' : performer === 'agent' ? 'agent' : 'plain']
  return nature === undefined ? Object.values(KINDS).flat() : KINDS[nature]
}

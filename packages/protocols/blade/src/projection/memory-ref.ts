import { cutAtCharacter, type EventOf } from '@polylogue/engine'
import type { MemoryRef } from '../wire.ts'

const LONGEST_PREVIEW = 120

type Recalled = EventOf<'memories.recalled'>['memories'][number]

export const toMemoryRef = ({ memoryId, content, skillName }: Recalled): MemoryRef => ({
  id: memoryId,
  content_preview: cutAtCharacter(content, LONGEST_PREVIEW),
  skill_name: skillName ?? null,
})

import type { MemoryRef } from '../wire.ts'
import { cutPreview } from './cut-preview.ts'
import type { EventOf } from './event-of.ts'

const LONGEST_PREVIEW = 120

type Recalled = EventOf<'memories.recalled'>['memories'][number]

export const toMemoryRef = ({ memoryId, content, skillName }: Recalled): MemoryRef => ({
  id: memoryId,
  content_preview: cutPreview(content, LONGEST_PREVIEW),
  skill_name: skillName ?? null,
})

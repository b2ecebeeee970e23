import { agentOperations } from './agents.ts'
import { callOperations } from './calls.ts'
import { cardOperations } from './cards.ts'
import { commandOperations } from './commands.ts'
import { doorOperations } from './doors.ts'
import { keyOperations } from './keys.ts'
import { memoryOperations } from './memories.ts'
import { modelOperations } from './models.ts'
import { nodeOperations } from './nodes.ts'
import { permissionOperations } from './permissions.ts'
import { recordingOperations } from './recordings.ts'
import { queueOperations } from './queue.ts'
import { searchOperations } from './search.ts'
import { serverOperations } from './server.ts'
import { sessionOperations } from './sessions.ts'
import { turnOperations } from './turns.ts'
import { usageOperations } from './usage.ts'
import { userOperations } from './users.ts'
import { waitingOperations } from './waiting.ts'

/** What everybody with a key can do. */
export const operations = {
  ...serverOperations,
  ...nodeOperations,
  ...sessionOperations,
  ...searchOperations,
  ...waitingOperations,
  ...callOperations,
  ...cardOperations,
  ...commandOperations,
  ...queueOperations,
  ...recordingOperations,
  ...doorOperations,
  ...agentOperations,
  ...keyOperations,
  ...memoryOperations,
  ...modelOperations,
  ...permissionOperations,
  ...turnOperations,
  ...usageOperations,
  ...userOperations,
} as const

export type Operations = typeof operations

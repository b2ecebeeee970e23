import { Hono } from 'hono'
import { operations } from '../contract/operations.ts'
import { answerOperations, type NodeEnv } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'
import { answerAgents } from './agent-answers.ts'
import { answerCalls } from './call-answers.ts'
import { answerCommands } from './command-answers.ts'
import { answerCards } from './card-answers.ts'
import { createCardRoute } from './card-route.ts'
import { answerDoors } from './door-answers.ts'
import { createFollowRoutes } from './follow-routes.ts'
import { createImageRoute } from './image-route.ts'
import { answerKeys } from './key-answers.ts'
import { answerMemories } from './memory-answers.ts'
import { answerModels } from './model-answers.ts'
import { answerNodes } from './node-answers.ts'
import { answerPermissions } from './permission-answers.ts'
import { createProgressRoute } from './progress-route.ts'
import { answerQueue } from './queue-answers.ts'
import { answerSearch } from './search-answers.ts'
import { answerRecordings } from './recording-answers.ts'
import { answerServer } from './server-answers.ts'
import { answerSessions } from './session-answers.ts'
import { answerTurns } from './turn-answers.ts'
import { answerUsage } from './usage-answers.ts'
import { answerUsers } from './user-answers.ts'

/** What everybody with a key can do; mounted at `BASE_PATH`. */
export function createConsoleRoutes(deps: ConsoleDeps): Hono<NodeEnv> {
  const answers = {
    ...answerServer(deps),
    ...answerNodes(deps),
    ...answerSessions(deps),
    ...answerSearch(deps),
    ...answerCalls(deps),
    ...answerCards(deps),
    ...answerCommands(deps),
    ...answerQueue(deps),
    ...answerRecordings(deps),
    ...answerDoors(deps),
    ...answerAgents(deps),
    ...answerKeys(deps),
    ...answerMemories(deps),
    ...answerModels(deps),
    ...answerPermissions(deps),
    ...answerTurns(deps),
    ...answerUsage(deps),
    ...answerUsers(deps),
  }
  return new Hono<NodeEnv>()
    .route('/', createFollowRoutes(deps))
    .route('/', answerOperations(operations, answers, deps))
    .route('/', createProgressRoute(deps))
    .route('/', createCardRoute(deps))
    .route('/', createImageRoute(deps))
}

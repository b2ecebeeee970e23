import { EVENT_VERSIONS, asSessionId } from '@polylogue/engine'
import type { recordingOperations } from '../contract/recordings.ts'
import type { Answers } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'
import { Refusal } from './refusal.ts'

const MOST_DIFFERENCES = 100
const JSON_TYPE = 'application/json'

type RecordingDeps = Pick<ConsoleDeps, 'engine' | 'events' | 'replay'>

export function answerRecordings({ engine, events, replay }: RecordingDeps): Answers<typeof recordingOperations> {
  return {
    async changeRecording({ caller: { userId }, params, body: { on } }) {
      const sessionId = asSessionId(params.id)
      await engine.execute({ type: 'configure-session', userId, sessionId, changes: { isRecorded: on } })
      return { on }
    },

    async readRecording({ caller: { userId }, params }) {
      const { isRecorded = false, agent } = await engine.readSession(userId, asSessionId(params.id))
      return { on: isRecorded, agents: replay.describeAgents(agent), versions: { ...EVENT_VERSIONS } }
    },

    async readRecorded({ caller: { userId }, params }) {
      const sessionId = asSessionId(params.id)
      // The engine refuses a session of another user as an unknown one; the store does not look at users.
      await engine.readSession(userId, sessionId)
      const blob = await events.readBlob(sessionId, params.hash)
      if (blob?.mediaType !== JSON_TYPE) throw new Refusal(404, 'Nothing is recorded under this hash.')
      return { text: new TextDecoder().decode(blob.bytes) }
    },

    async replaySession({ caller: { userId }, params }) {
      const sessionId = asSessionId(params.id)
      await engine.readSession(userId, sessionId)
      const report = await replay.run(sessionId)
      if (report === undefined) throw new Refusal(413, 'The log is too long to be replayed.')
      const { compared, skipped, requests } = report
      const differences = report.differences.slice(0, MOST_DIFFERENCES)
      return { compared, skipped, requests, differences: differences.map(toDifferenceJson) }
    },
  }
}

function toDifferenceJson({ seq, type, logged, today, detail }: Reported['differences'][number]) {
  return {
    seq,
    type,
    ...(logged && { logged: { ...logged } }),
    ...(today && { today: { ...today } }),
    ...(detail !== undefined && { detail }),
  }
}

type Reported = NonNullable<Awaited<ReturnType<ConsoleDeps['replay']['run']>>>

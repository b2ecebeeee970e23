import { ROOT_LOOP, titleOf, type EventOf } from '@polylogue/engine'
import type { OpenCall } from './open-loops.ts'
import type { Moment } from './project-runs.ts'
import type { Scene } from './scene.ts'
import { toSeededTurns } from './seeded-turns.ts'

/** Takes the history that the session was created with. Its open calls wait for the client that declared them. */
export function takeSeed(scene: Scene, event: EventOf<'session.seeded'>, { seq, at }: Moment): void {
  const { entryId, messages } = event
  const { turns, open } = toSeededTurns(event, { sessionId: scene.facts.sessionId, at })
  for (const turn of turns) {
    scene.begun.push(seq)
    scene.board.add(turn)
  }
  const first = messages.find((message) => message.role === 'user')
  scene.title ??= first && titleOf(first.content)
  const turnId = open.at(-1)?.turnId
  if (turnId === undefined) return
  const calls = open
    .filter((candidate) => candidate.turnId === turnId)
    .map(({ call: { toolCallId: id, name, input } }): OpenCall => {
      return {
        id,
        name,
        displayName: name,
        input,
        route: 'client',
        phase: 'waiting',
        isAsking: false,
        isRefused: false,
      }
    })
  const step = { stepId: entryId, turnId, startedAt: at, isAnswered: true, prefix: 0, textLength: 0, calls }
  scene.loops.get(ROOT_LOOP).step = step
}

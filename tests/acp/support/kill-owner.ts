import { setTimeout as delay } from 'node:timers/promises'
import { NEXT, call, script } from '../../support/script.ts'
import type { SeededRandom } from '../../storage-faults/seeded-random.ts'
import { RpcFailure } from './acp-process.ts'
import { type AcpWorld, createAcpWorld } from './acp-world.ts'
import { openAcpSession } from './acp-session.ts'

/** A little longer than the turn takes. */
const TURN_MS = 900
const GIVE_UP_MS = 90_000
const TURN = script('say one two three', call('c', 'slow', { ms: 200 }), NEXT, 'say four', 'sleep 200', 'say five')

/**
 * The owner behind an editor's pipe is killed at some moment of its turns. What is wrong afterwards; `undefined` when the
 * prompt was answered, the session goes on, and nothing that was said is lost.
 */
export async function killOwner(random: SeededRandom): Promise<string | undefined> {
  const world = await createAcpWorld()
  try {
    return await Promise.race([
      killAndGoOn(world, random),
      delay(GIVE_UP_MS, 'something was never answered', { ref: false }),
    ])
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await world.close()
  }
}

async function killAndGoOn(world: AcpWorld, random: SeededRandom): Promise<string | undefined> {
  const server = await world.serve()
  const acp = await world.start()
  const session = await openAcpSession(acp, world.workDir)
  const prompts = [session.prompt(TURN), session.prompt('say queued')]
  const outcomes = Promise.all(prompts.map((prompt) => prompt.then(({ stopReason }) => stopReason, describe)))
  await delay(random.int(TURN_MS))
  await server.kill()
  // A prompt of which nothing was heard may never have arrived.
  const wasHeard = acp.said(session.id) !== ''
  const ended = await outcomes
  if (!ended.every((outcome) => outcome === 'end_turn' || outcome === 'interrupted')) return `prompts: ${String(ended)}`
  const { stopReason } = await session.prompt('say on')
  if (stopReason !== 'end_turn') return `the next prompt ended with ${String(stopReason)}`
  await session.prompt('show messages')
  const shown = acp.said(session.id)
  if (wasHeard && !shown.includes('say one two three')) return 'the model was not given the first prompt'
  const strangers = acp.frames.filter(({ id }) => String(id).startsWith('polylogue-relay'))
  return strangers.length > 0 ? `the editor was shown ${JSON.stringify(strangers)}` : undefined
}

function describe(error: unknown): string {
  const data = error instanceof RpcFailure ? (error.data as { readonly reason?: string }) : undefined
  return data?.reason ?? String(error)
}

import type { Engine } from '@polylogue/engine'
import type { TurnProjection } from '../wire.ts'
import type { Describe } from './scene.ts'
import { TurnReader, type TurnsAsked } from './turn-reader.ts'

/** All current turns of a session. Streaming turns have their text so far. */
export async function readTurns(
  engine: Pick<Engine, 'attach'>,
  asked: TurnsAsked,
  describe: Describe,
): Promise<readonly TurnProjection[]> {
  const reader = new TurnReader(engine, asked, describe)
  const turns: TurnProjection[] = []
  for (let slice = await reader.read(); slice !== undefined; slice = await reader.read()) turns.push(...slice)
  return turns
}

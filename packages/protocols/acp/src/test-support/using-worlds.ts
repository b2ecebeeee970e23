import { afterEach, expect } from 'vitest'
import { openWorld, type WorldOptions, type WorldParts } from './open-world.ts'

/** Worlds that end with their test, in which no client may have got a frame that breaks the official schema. */
export function usingWorlds<Parts extends WorldParts>(makeParts: () => Parts) {
  const worlds: { close(): Promise<readonly string[]> }[] = []
  afterEach(async () => {
    const problems: string[] = []
    for (const world of worlds.splice(0)) problems.push(...(await world.close()))
    expect(problems).toEqual([])
  })
  return (options: WorldOptions = {}) => {
    const world = openWorld(makeParts(), options)
    worlds.push(world)
    return world
  }
}

import { openAapV1, openAapV3 } from './aap.ts'
import { openAcp } from './acp.ts'
import { openBlade } from './blade.ts'
import { openConsole } from './console.ts'
import type { AttachedClient, Door } from './door.ts'
import type { DoorDeps, OpenDoor } from './door-deps.ts'
import { viaDoor } from './via-door.ts'

/** Every protocol that the server speaks. */
export const DOORS: readonly OpenDoor[] = [openAapV3, openAapV1, openAcp, openBlade, openConsole]

export function openDoors(list: readonly OpenDoor[], deps: Omit<DoorDeps, 'doors'>): readonly Door[] {
  const doors: Door[] = []
  for (const open of list) {
    const opened: { door?: Door } = {}
    const engine = viaDoor(deps.parts.engine, () => opened.door?.name)
    opened.door = open({ ...deps, parts: { ...deps.parts, engine }, doors: () => doors })
    doors.push(opened.door)
  }
  return doors
}

export function listClients(doors: readonly Door[]): readonly (AttachedClient & { readonly door: string })[] {
  return doors.flatMap((door) => door.clients().map((client) => ({ door: door.name, ...client })))
}

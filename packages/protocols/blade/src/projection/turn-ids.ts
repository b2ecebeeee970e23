/** Every entry of a session is one turn of Blade, with both an entry id and a turn id. */
export interface TurnIds {
  readonly id: string
  readonly turn_id: string
}

export const idsOfEntry = (entryId: string): TurnIds => ({
  id: entryId,
  turn_id: `turn_${entryId.replace(/^entry_/, '')}`,
})

/** For what is a turn of its own only here: an answer, a change of mode, a failure. Named by the event that it comes from. */
export const idsOfEvent = (seq: number): TurnIds => ({ id: `entry_at${seq}`, turn_id: `turn_at${seq}` })

/** A run is one turn of the engine, from each of its starts to its next rest. */
export const runIdOf = (turnId: string): string => `run_${turnId.replace(/^turn_/, '')}`

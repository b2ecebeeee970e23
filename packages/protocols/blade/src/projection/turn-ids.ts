/** Each entry of a session is one turn of Blade with an entry id and a turn id. */
export interface TurnIds {
  readonly id: string
  readonly turn_id: string
}

export const idsOfEntry = (entryId: string): TurnIds => ({
  id: entryId,
  turn_id: `turn_${entryId.replace(/^entry_/, '')}`,
})

/** Ids of turns that exist only in Blade: answers, changes of mode, failures. They come from the seq of the event. */
export const idsOfEvent = (seq: number): TurnIds => ({ id: `entry_at${seq}`, turn_id: `turn_at${seq}` })

/** A run is an engine turn from one start to its next pause or end. */
export const runIdOf = (turnId: string): string => `run_${turnId.replace(/^turn_/, '')}`

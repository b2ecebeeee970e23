import { type ProcessTree, isGoneWithin, stopTree } from './process-tree.ts'

const ASK_MS = 1000
/** Together with the grace period, a call ends two seconds after it was stopped. */
const KILL_MS = 900
/** Lets processes end by themselves right after the command, such as the other side of a `>(…)`. */
const LINGER_MS = 200

/** The processes that a command left behind. */
export interface Remains {
  /** Processes that were killed after the command had ended. */
  readonly leftovers: number
  /** Processes that survived the kill. */
  readonly survivors: number
}

/** Ends the processes that remain after the command has ended. */
export async function clearAway(tree: ProcessTree): Promise<Remains> {
  if (await isGoneWithin(tree, LINGER_MS)) return { leftovers: 0, survivors: 0 }
  const leftovers = (await tree.find()).rows.length
  const isGone = await stopTree(tree, { askMs: LINGER_MS, killMs: KILL_MS })
  return { leftovers, survivors: isGone ? 0 : (await tree.find()).rows.length }
}

/** Ends the command and all its processes. */
export async function endTree(tree: ProcessTree): Promise<Remains> {
  const isGone = await stopTree(tree, { askMs: ASK_MS, killMs: KILL_MS })
  return { leftovers: 0, survivors: isGone ? 0 : (await tree.find()).rows.length }
}

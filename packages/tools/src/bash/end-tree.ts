import { type ProcessTree, isGoneWithin, stopTree } from './process-tree.ts'

const ASK_MS = 1000
/** With what asking took, two seconds from the wish to stop until the call ends. */
const KILL_MS = 900
/** For processes that end by themselves right after the command, such as the other side of a `>(…)`. */
const LINGER_MS = 200

/** What was still there after a command. */
export interface Remains {
  /** Processes that were killed after the command itself had ended. */
  readonly leftovers: number
  /** Not even killing ended all of it. */
  readonly survivors: number
}

/** After the command itself has ended. */
export async function clearAway(tree: ProcessTree): Promise<Remains> {
  if (await isGoneWithin(tree, LINGER_MS)) return { leftovers: 0, survivors: 0 }
  const leftovers = (await tree.find()).rows.length
  const isGone = await stopTree(tree, { askMs: LINGER_MS, killMs: KILL_MS })
  return { leftovers, survivors: isGone ? 0 : (await tree.find()).rows.length }
}

/** Together with the command. */
export async function endTree(tree: ProcessTree): Promise<Remains> {
  const isGone = await stopTree(tree, { askMs: ASK_MS, killMs: KILL_MS })
  return { leftovers: 0, survivors: isGone ? 0 : (await tree.find()).rows.length }
}

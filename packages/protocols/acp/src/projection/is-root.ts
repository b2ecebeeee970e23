import { ROOT_LOOP, type LoopId } from '@polylogue/engine'

/** Whether a loop is the agent's own and not a sub-agent's. */
export const isRoot = (loopId: LoopId | undefined): boolean => loopId === undefined || loopId === ROOT_LOOP

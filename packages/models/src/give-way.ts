/** Yields to the event loop. */
export type GiveWay = () => Promise<void>

export const giveWayToEventLoop: GiveWay = () => new Promise((resolve) => setImmediate(resolve))

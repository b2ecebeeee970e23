/** Lets everything else that is due run before the caller goes on. */
export type GiveWay = () => Promise<void>

export const giveWayToEventLoop: GiveWay = () => new Promise((resolve) => setImmediate(resolve))

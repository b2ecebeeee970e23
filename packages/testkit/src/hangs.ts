/** A step of a fake model that never continues and ignores its signal, or a tool that never returns. */
export const hangs = (): Promise<never> => new Promise(() => undefined)

/** A step of a fake model that never goes on, whatever its signal says; a tool that never returns. */
export const hangs = (): Promise<never> => new Promise(() => undefined)

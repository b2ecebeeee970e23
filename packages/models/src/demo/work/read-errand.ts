const ERRANDS = [/^You are a sub-agent\. Look into `(.+?)` /, /^你是一个子智能体。请看看 `(.+?)`/]

/** The file that a sub-agent is sent to look into; the texts `errand` of both languages are what is understood. */
export function readErrand(prompt: string): string | undefined {
  return ERRANDS.map((pattern) => pattern.exec(prompt)?.[1]).find((path) => path !== undefined)
}

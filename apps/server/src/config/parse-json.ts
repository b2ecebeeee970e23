import { ConfigError } from './config-error.ts'

/** Throws a `ConfigError` with the position only: the text may be a secret without quotes. */
export function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const before = text.slice(0, findFault(text)).split('\n')
    const column = (before.at(-1)?.length ?? 0) + 1
    // No `cause`: it quotes the text.
    throw new ConfigError(`${file}: line ${before.length}, column ${column}: this is not JSON`)
  }
}

/** The length of the valid prefix. Many messages of JSON.parse have no position, so it is searched. */
function findFault(text: string): number {
  let [sound, faulty] = [0, text.length + 1]
  while (faulty - sound > 1) {
    const middle = Math.floor((sound + faulty) / 2)
    if (isBeginning(text.slice(0, middle))) sound = middle
    else faulty = middle
  }
  return sound
}

function isBeginning(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error))
    const position = / at position (\d+)/.exec(message)?.[1]
    return position === undefined ? message === 'Unexpected end of JSON input' : Number(position) >= text.length
  }
}

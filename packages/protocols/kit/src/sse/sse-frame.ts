export interface SseFrame {
  readonly event: string
  /** One line, as `toJsonLine` writes it. */
  readonly data: string
  readonly id?: string
}

/** One server-sent event. The blank line at its end is part of it: without it clients drop the event. */
export function toSseFrame({ event, data, id }: SseFrame): string {
  return `event: ${event}\ndata: ${data}\n${id === undefined ? '' : `id: ${id}\n`}\n`
}

/** A comment: clients ignore it, while a named event in the middle of a text would cut it in two. */
export const HEARTBEAT = ': ping\n\n'

// JSON has no raw CR or LF. Readers that go by Unicode instead of the SSE standard take these for line ends too.
const LINE_ENDS = /[\u0085\u2028\u2029]/g

export function toJsonLine(value: object | string): string {
  return JSON.stringify(value).replace(LINE_ENDS, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

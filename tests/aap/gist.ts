import type { Frame } from '../support/sse-parser.ts'

/** What a stream said, with runs of deltas joined: two readers that were told the same in other pieces saw the same. */
export function gist(frames: readonly Frame[]): readonly unknown[] {
  const events: Record<string, unknown>[] = []
  for (const { event, data } of frames) {
    const last = events.at(-1)
    if (last && event.endsWith('_delta') && last['event'] === event) {
      last['delta'] = `${String(last['delta'])}${String(data['delta'])}`
    } else events.push({ ...data })
  }
  return events
}

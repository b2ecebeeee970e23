export interface Frame {
  readonly event: string
  readonly id: string
  readonly data: { readonly [name: string]: unknown }
}

/** Strict on purpose: every event has exactly these three lines, in this order, and a blank one. */
export function parseFrames(text: string): Frame[] {
  const frames: Frame[] = []
  for (const part of text.split('\n\n').slice(0, -1)) {
    if (part.startsWith(':')) continue
    const [, event = '', data = '', id = ''] =
      /^event: (\w+)\ndata: (\{.*\})\nid: (\d+(?:\.\d+\.\d+)?)$/.exec(part) ?? []
    const parsed = JSON.parse(data)
    if (parsed.event !== event) throw new Error(`${event} is called ${parsed.event} in its data`)
    frames.push({ event, id, data: parsed })
  }
  if (!text.endsWith('\n\n') && text !== '') throw new Error('the last event is not ended')
  return frames
}

/** What a reader has understood: runs of deltas joined, ids left out. */
export function gist(frames: readonly Frame[]): object[] {
  const told: { [name: string]: unknown }[] = []
  for (const { data } of frames) {
    const last = told.at(-1)
    if (last !== undefined && data['delta'] !== undefined && last['event'] === data['event']) {
      last['delta'] = `${last['delta']}${data['delta']}`
    } else told.push({ ...data })
  }
  return told
}

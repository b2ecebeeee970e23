// A strict parser of Server-Sent Events. It accepts less than browsers do, because the server promises more. A frame is
// `event:`, exactly one `data:` line with a JSON object that names the same event, at most one `id:`, and an empty line.
// Comments may stand between frames. Anything else is an error.

export interface Frame {
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
  readonly id: string | undefined
}

export interface SseParser {
  readonly comments: readonly string[]
  /** Returns the frames that these bytes complete. Throws a `FramingError` for a malformed frame. */
  feed(bytes: Uint8Array): Frame[]
  /** Call it at the end of the stream. Throws if a frame is incomplete. */
  end(): void
}

export class FramingError extends Error {
  constructor(problem: string, excerpt: string) {
    super(`${problem}: ${JSON.stringify(excerpt.slice(0, 200))}`)
    this.name = 'FramingError'
  }
}

export function createSseParser(): SseParser {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const comments: string[] = []
  let pending = ''

  function feed(bytes: Uint8Array): Frame[] {
    pending += decoder.decode(bytes, { stream: true })
    const frames: Frame[] = []
    let start = 0
    for (let end = pending.indexOf('\n\n'); end !== -1; end = pending.indexOf('\n\n', start)) {
      const frame = parseFrame(pending.slice(start, end), comments)
      if (frame) frames.push(frame)
      start = end + 2
    }
    pending = pending.slice(start)
    return frames
  }

  function end(): void {
    pending += decoder.decode()
    if (pending !== '') throw new FramingError('the stream ends inside a frame', pending)
  }

  return { comments, feed, end }
}

function parseFrame(block: string, comments: string[]): Frame | undefined {
  if (block.includes('\r')) throw new FramingError('a frame has a carriage return', block)
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    if (line.startsWith(':')) {
      comments.push(line.slice(1).trim())
      continue
    }
    const [, name, value] = /^(event|data|id|retry): (.+)$/s.exec(line) ?? []
    if (name === undefined || value === undefined) throw new FramingError('a line is no field of ours', line)
    if (fields.has(name)) throw new FramingError(`a frame has two ${name} lines`, block)
    fields.set(name, value)
  }
  if (fields.size === 0) return undefined
  const event = fields.get('event')
  const data = fields.get('data')
  if (event === undefined) throw new FramingError('a frame has no event line', block)
  if (data === undefined) throw new FramingError('a frame has no data line', block)
  const parsed = parseObject(data)
  if (parsed['event'] !== event) throw new FramingError('data names another event than the event line', block)
  return { event, data: parsed, id: fields.get('id') }
}

function parseObject(data: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    throw new FramingError('data is not JSON', data)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new FramingError('data is not an object', data)
  }
  return value as Record<string, unknown>
}

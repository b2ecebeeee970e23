import type { Clock, Tool } from '@polylogue/engine'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'

const input = z.object({
  timeZone: z
    .string()
    .max(100)
    .refine(isTimeZone, 'must be a time zone such as Asia/Tokyo')
    .optional()
    .describe("An IANA time zone such as Asia/Tokyo; the server's own if left out"),
})

export function createCurrentTime({ clock }: { readonly clock: Clock }): Tool {
  return defineTool({
    name: 'CurrentTime',
    title: 'Current time',
    description: 'Tells the date and the time, in any time zone. It only reads.',
    input,
    effect: 'readonly',
    run: ({ input: { timeZone } }) => formatTime(clock.now(), timeZone),
  })
}

/** `2026-03-01 14:30:00 Asia/Tokyo (GMT+9)` */
function formatTime(at: number, wanted: string | undefined): string {
  const timeZone = wanted ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  // The Swedish way to write a date is the international one.
  const time = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(at)
  const offset = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'shortOffset' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')
  return `${time} ${timeZone} (${offset?.value ?? 'GMT'})`
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).format(0) !== ''
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

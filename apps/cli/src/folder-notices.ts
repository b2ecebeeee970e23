import type { StreamedUpdate } from '@polylogue/aap/client'
import { z } from 'zod'
import type { Owner } from './with-owner.ts'

const noted = z.object({
  type: z.literal('surroundings.noted'),
  sources: z.array(z.object({ notice: z.string().optional() })),
})

/** Tells which instruction files of the folder are used, before anything of the answer. */
export async function* withFolderNotices(
  updates: AsyncIterable<StreamedUpdate>,
  readNotices: () => Promise<readonly string[] | undefined>,
  tell: (notice: string) => void,
): AsyncGenerator<StreamedUpdate> {
  let isTold = false
  for await (const update of updates) {
    const notices: readonly string[] | undefined = isTold ? undefined : await readNotices()
    isTold ||= notices !== undefined
    notices?.forEach(tell)
    yield update
  }
}

/** The notices that the session recorded after event `after`. `undefined`: the model was not asked yet. */
export async function readFolderNotices(
  { console }: Owner,
  sessionId: string,
  after: number,
): Promise<readonly string[] | undefined> {
  const { events } = await console.readEvents({ id: sessionId, query: { after, limit: 20 } })
  if (!events.some(({ event }) => event.type === 'step.started')) return undefined
  return events.flatMap(({ event }) => {
    const found = noted.safeParse(event)
    return found.success ? found.data.sources.flatMap(({ notice }) => (notice === undefined ? [] : [notice])) : []
  })
}

// Measures delays for `measure-delays.ts`.
import type { BladeOutput } from '@polylogue/blade'
import { createAapClient } from '../support/aap-client.ts'
import { type Served, openAudience } from './audience.ts'

/** Of one turn after the other. */
const FLOOD = { events: 250, bytes: 64, perSecond: 50 }

let isEnough = false

process.once('message', (target) => {
  process.once('message', () => {
    isEnough = true
  })
  void measure(target as Pick<Served, 'url' | 'key'>).then((delays) => process.send?.(delays))
})
process.on('disconnect', () => process.exit())

async function measure({ url, key }: Pick<Served, 'url' | 'key'>): Promise<readonly number[]> {
  const audience = await openAudience({ url, key, client: (dialect) => createAapClient({ url, key, dialect }) }, [])
  const [socket] = audience.sockets
  const delays: number[] = []
  socket?.listen((output) => {
    const now = Number(process.hrtime.bigint() / 1000n)
    for (const sentAt of stampsIn(output)) delays.push((now - sentAt) / 1000)
  })
  while (!isEnough) await audience.flood(FLOOD)
  audience.close()
  return delays
}

function stampsIn({ event, payload }: BladeOutput): readonly number[] {
  if (event !== 'turn:patch' || payload.patch_type !== 'add_content') return []
  return [...(payload.data.text_delta ?? '').matchAll(/@(\d+)@/g)].map(([, stamp]) => Number(stamp))
}

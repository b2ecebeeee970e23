// Measures delays for `measure-delays.ts`.
import type { BladeOutput } from '@polylogue/blade'
import { createAapClient } from '../support/aap-client.ts'
import { openAudience } from './audience.ts'

const PER_SECOND = 50
const BYTES = 64

interface Errand {
  readonly url: string
  readonly key: string
  readonly seconds: number
}

process.once('message', (message) => {
  void measure(message as Errand).then((delays) => process.send?.(delays))
})
process.on('disconnect', () => process.exit())

async function measure({ url, key, seconds }: Errand): Promise<readonly number[]> {
  const audience = await openAudience({ url, key, client: (dialect) => createAapClient({ url, key, dialect }) }, [])
  const [socket] = audience.sockets
  const delays: number[] = []
  socket?.listen((output) => {
    const now = Number(process.hrtime.bigint() / 1000n)
    for (const sentAt of stampsIn(output)) delays.push((now - sentAt) / 1000)
  })
  await audience.flood({ events: seconds * PER_SECOND, bytes: BYTES, perSecond: PER_SECOND })
  audience.close()
  return delays
}

function stampsIn({ event, payload }: BladeOutput): readonly number[] {
  if (event !== 'turn:patch' || payload.patch_type !== 'add_content') return []
  return [...(payload.data.text_delta ?? '').matchAll(/@(\d+)@/g)].map(([, stamp]) => Number(stamp))
}

import { writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Owner } from './with-owner.ts'

const PAGE = 1_000

/** Writes a test for vitest, and the recording that it plays. Returns the names of both files. */
export async function writeReplayTest(id: string, file: string, client: Owner['console']): Promise<readonly string[]> {
  const recordingFile = `${file.replace(/(?:\.test)?\.[cm]?[jt]s$/, '')}.recording.json`
  const { agents, versions } = await client.readRecording({ id })
  const events = await readEvents(id, client)
  const exchanges = await readExchanges(id, events, client)
  await writeFile(recordingFile, `${JSON.stringify({ format: 2, versions, events, exchanges, agents }, null, 1)}\n`)
  await writeFile(file, toTest(id, basename(recordingFile)))
  return [file, recordingFile]
}

type Events = Awaited<ReturnType<Owner['console']['readEvents']>>['events']

async function readEvents(id: string, client: Owner['console']): Promise<Events> {
  const all: Events[number][] = []
  for (let after: number | undefined = 0; after !== undefined;) {
    const page: Awaited<ReturnType<typeof client.readEvents>> = await client.readEvents({
      id,
      query: { after, limit: PAGE },
    })
    all.push(...page.events)
    after = page.next
  }
  return all
}

/** The exchanges that the log names, and the groups of messages that these name. */
async function readExchanges(
  id: string,
  events: Events,
  client: Owner['console'],
): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {}
  const read = async (hash: string): Promise<string> => (texts[hash] ??= (await client.readRecorded({ id, hash })).text)
  for (const { event } of events) {
    const hash = event['exchange']
    if (typeof hash !== 'string') continue
    const { request } = JSON.parse(await read(hash)) as { readonly request: { readonly groups: readonly string[] } }
    for (const group of request.groups) await read(group)
  }
  return texts
}

const toTest = (id: string, recordingFile: string): string => `import { readFile } from 'node:fs/promises'
import { replayRecording } from ${quote('polylogue')}
import { expect, it } from ${quote('vitest')}

it('session ${id} comes out as it was recorded', async () => {
  const recording: unknown = JSON.parse(await readFile(new URL('${recordingFile}', import.meta.url), 'utf8'))
  expect((await replayRecording(recording)).differences).toEqual([])
})
`

// Packing reads imports from the text of a source, and these two are not ours.
const quote = (name: string): string => `'${name}'`

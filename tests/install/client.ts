import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { InstalledFolder } from './installed.ts'

const VITE = fileURLToPath(new URL('../../node_modules/vite/bin/vite.js', import.meta.url))
const EXAMPLES = new URL('../../examples/client/', import.meta.url)

/** A program that uses every entry, and a mistake that the types must find. */
export const TYPED = `import { AapSession, createAapClient, defineClientTool, type WireEvent } from '@polylogue/client/aap'
import { createBlade, type BladeSession, type BridgeEvent } from '@polylogue/client/blade'
import { createConsoleClient, createFetchTransport, type Session } from '@polylogue/client/console'
import { AapError } from '@polylogue/client'
import { z } from 'zod'

const weather = defineClientTool({
  name: 'weather',
  description: 'Tells the weather',
  parameters: z.object({ city: z.string() }),
  run: ({ city }) => city.toUpperCase(),
})
export const start = (key: string): Promise<AapSession> =>
  AapSession.create(createAapClient({ baseUrl: 'http://server', key }), { agent: { name: 'a' }, tools: [weather] })
export const texts = (events: readonly WireEvent[]): string[] =>
  events.flatMap((event) => (event.event === 'text_delta' ? [event.delta] : []))
export const open = (id: string): BladeSession => createBlade().open(id)
export const heard = ({ action }: BridgeEvent): string => action
export const list = async (): Promise<readonly Session[]> =>
  (await createConsoleClient(createFetchTransport()).listSessions()).sessions
export const status = (error: AapError): number => error.status
// @ts-expect-error A city is text.
defineClientTool({ name: 'x', description: 'x', parameters: z.object({ city: z.string() }), run: ({ city }) => city * 2 })
`

/** Bundles a module as a page would load it. */
export async function bundle(folder: InstalledFolder, name: string, code: string): Promise<string> {
  await folder.write(`${name}.js`, code)
  const config = {
    logLevel: 'error',
    build: {
      outDir: `built-${name}`,
      minify: true,
      rolldownOptions: { input: `${name}.js`, output: { entryFileNames: 'out.js' } },
    },
  }
  await folder.write(`${name}.vite.mjs`, `export default ${JSON.stringify(config)}`)
  await folder.run(process.execPath, VITE, 'build', '--config', `${name}.vite.mjs`)
  return readFile(join(folder.path, `built-${name}`, 'out.js'), 'utf8')
}

export const readExample = (name: string): Promise<string> => readFile(new URL(name, EXAMPLES), 'utf8')

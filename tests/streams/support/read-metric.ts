import { exchangeText } from '../../support/http-exchange.ts'

/** One number of a server's own counting, its labels added up. */
export async function readMetric(
  server: { readonly url: string; readonly key: string },
  name:
    | 'polylogue_open_streams'
    | 'polylogue_readers_dropped_total'
    | 'polylogue_running_turns'
    | 'process_resident_memory_bytes'
    | 'nodejs_heap_size_used_bytes',
): Promise<number> {
  const headers = { authorization: `Bearer ${server.key}` }
  const { status, text } = await exchangeText({ method: 'GET', url: `${server.url}/metrics`, headers })
  const lines = text.split('\n').filter((line) => line.startsWith(name) && /^[ {]/.test(line.slice(name.length)))
  if (status !== 200) throw new Error(`no metrics: ${status} ${text}`)
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}

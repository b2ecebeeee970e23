import { exchangeText } from '../support/http-exchange.ts'
import { bearer, type EdgeServer } from './edge-server.ts'

/** The sum over all labels that begin with `labels`; 0 for what was never counted. */
export async function readMetric(server: EdgeServer, name: string, labels = ''): Promise<number> {
  const { status, text } = await exchangeText({
    method: 'GET',
    url: `${server.url}/metrics`,
    headers: bearer(server.key),
  })
  if (status !== 200) throw new Error(`no metrics: ${status}`)
  const lines = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
  return lines
    .filter((line) => line.includes(labels))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}

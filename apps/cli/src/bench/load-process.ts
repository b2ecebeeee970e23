// The clients of a load, in a separate process. Reads jobs, one JSON line each, and answers each with one line.
import { createInterface } from 'node:readline'
import { percentile } from './bench-result.ts'
import { KeepAliveClient } from './keep-alive-client.ts'
import { loadJob, type LoadJob, type LoadResult } from './load.ts'

const DELTAS = 100

interface Client {
  readonly http: KeepAliveClient
  readonly path: string
}

const user = (content: string, stream = 'none', more: object = {}) => ({
  stream,
  messages: [{ role: 'user', content }],
  ...more,
})
const client = { name: 'local', description: 'runs at the client', parameters: { type: 'object' } }

async function round({ load, agent }: LoadJob, { http, path }: Client, index: number): Promise<void> {
  const id = `c${index}`
  switch (load) {
    case 'turn-none':
      return http.post(`${path}/turns`, user('say ok'))
    case 'turn-deltas':
      return http.post(`${path}/turns`, user(`tokens ${DELTAS}`, 'delta'))
    case 'turn-tool':
      return http.post(`${path}/turns`, user(`call ${id} echo {"msg":"hi"}`))
    case 'turn-client-tool':
      await http.post(`${path}/turns`, user(`call ${id} local {}`, 'none', { tools: [client] }))
      return http.post(`${path}/turns`, { stream: 'none', messages: [{ role: 'tool', toolCallId: id, content: 'ok' }] })
    case 'turn-approval':
      await http.post(`${path}/turns`, user(`call ${id} echo {"msg":"hi"}`))
      return http.post(`${path}/turns`, {
        stream: 'none',
        messages: [{ role: 'tool_permission', toolCallId: id, granted: true }],
      })
    case 'create':
      return http.post('/aap/v3/sessions', { agent: { name: agent } })
    case 'list':
      return http.get('/aap/v3/sessions')
    case 'get':
      return http.get(path)
    case 'meta':
      return http.get('/aap/v3/meta')
    case 'history':
      return http.get(`${path}/history?type=full`)
  }
}

async function open(job: LoadJob): Promise<Client> {
  const http = await KeepAliveClient.open(job)
  const tools = [{ name: 'echo', trust: job.load === 'turn-tool' }]
  await http.post('/aap/v3/sessions', { agent: { name: job.agent, ...(job.agent === 'scripted' && { tools }) } })
  const { sessionId } = JSON.parse(http.body) as { sessionId: string }
  return { http, path: `/aap/v3/sessions/${sessionId}` }
}

const longSessions = new Map<string, string>()

/** Created once for each server, so that only the first round pays for it. */
async function longSession(job: LoadJob): Promise<string> {
  const known = longSessions.get(job.url)
  if (known !== undefined) return known
  const { http, path } = await open(job)
  for (let turn = 0; turn < job.turns; turn++) await http.post(`${path}/turns`, user('say ok'))
  http.close()
  longSessions.set(job.url, path)
  return path
}

async function run(job: LoadJob): Promise<LoadResult> {
  const clients = await Promise.all(Array.from({ length: job.clients }, () => open(job)))
  const longPath = job.load === 'history' ? await longSession(job) : undefined
  const firstBytes: number[] = []
  const startedAt = performance.now()
  await Promise.all(
    clients.map(async (each) => {
      for (let index = 0; index < job.rounds; index++) {
        await round(job, { ...each, path: longPath ?? each.path }, index)
        firstBytes.push(each.http.firstByteMs)
      }
    }),
  )
  const seconds = (performance.now() - startedAt) / 1000
  for (const { http } of clients) http.close()
  const rounds = job.clients * job.rounds
  return { perSecond: rounds / seconds, firstByteP50Ms: percentile(firstBytes, 0.5), rounds }
}

for await (const line of createInterface({ input: process.stdin })) {
  const result = await run(loadJob.parse(JSON.parse(line)))
  process.stdout.write(`${JSON.stringify(result)}\n`)
}

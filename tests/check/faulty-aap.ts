import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Passed {
  readonly method: string
  readonly path: string
  readonly body: string
  readonly authorization: string
}

interface Answered {
  status: number
  type: string
  text: string
}

/** Twelve faults of an AAP server, by the rule that each breaks. */
const FAULTS: Readonly<Record<string, (asked: Passed, answer: Answered) => void>> = {
  '2': ({ path }, answer) => {
    if (path.endsWith('/meta')) answer.text = answer.text.replaceAll(/"version":"\d[^"]*"/g, '"version":"latest"')
  },
  '6': ({ path }, answer) => {
    if (path.endsWith('/meta')) answer.text = answer.text.replaceAll('"parameters":{', '"parameters":{"$schema":"x",')
  },
  '9': ({ authorization }, answer) => {
    if (authorization.trim() === 'Bearer') answer.status = 500
  },
  '13': ({ path }, answer) => {
    if (path.endsWith('/no-such-route')) answer.text = '<h1>Not found</h1>'
  },
  '18': ({ path, method }, answer) => {
    if (method === 'POST' && path.endsWith('/sessions') && answer.status === 201) answer.status = 200
  },
  '33': ({ path }, answer) => {
    if (path.includes('?after=')) answer.status = 200
  },
  '36': ({ path, method }, answer) => {
    const isSession = method === 'GET' && /\/sessions\/[^/]+$/.test(path)
    if (isSession && answer.status === 404) answer.text = '{}'
  },
  '42': ({ path }, answer) => {
    if (/\/history(?:\?type=neither)?$/.test(path)) answer.status = 200
  },
  '55': ({ body, path }, answer) => {
    if (path.endsWith('/turns') && !body.includes('"stream"')) answer.type = 'text/plain'
  },
  '69': (_, answer) => {
    answer.text = answer.text.replace('data: {"event":"turn_start"}', 'data: {"event":"turn_start","at":1}')
  },
  '84': (_, answer) => {
    answer.text = answer.text.replaceAll(/\u2028|\\u2028/g, ' ')
  },
  '90': ({ path }, answer) => {
    if (path.includes('/history')) answer.text = answer.text.replaceAll(/Tool call denied(?!:)/g, 'No')
  },
}

export const AAP_FAULTS = Object.keys(FAULTS)

/** The server at `target`, with all twelve faults. */
export async function startFaultyAap(target: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    void pass(target, incoming).then(({ status, type, text }) =>
      outgoing.writeHead(status, { 'content-type': type }).end(status === 204 ? undefined : text),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function pass(target: string, incoming: IncomingMessage): Promise<Answered> {
  let body = ''
  for await (const chunk of incoming.setEncoding('utf8')) body += String(chunk)
  const { method = 'GET', url: path = '/', headers } = incoming
  const { authorization = '' } = headers
  const response = await fetch(`${target}${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization },
    ...(method !== 'GET' && method !== 'HEAD' && { body }),
  })
  const answer = {
    status: response.status,
    type: response.headers.get('content-type') ?? 'application/json',
    text: await response.text(),
  }
  for (const spoil of Object.values(FAULTS)) spoil({ method, path, body, authorization }, answer)
  return answer
}

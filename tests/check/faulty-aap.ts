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

type Fault = (asked: Passed, answer: Answered) => void

type Faults = Readonly<Record<string, Fault>>

const hideErrorBody: Fault = ({ path }, answer) => {
  if (path.endsWith('/no-such-route')) answer.text = '<h1>Not found</h1>'
}

const loseLineSeparators: Fault = (_, answer) => {
  answer.text = answer.text.replaceAll(/\u2028|\\u2028/g, ' ')
}

/** Twelve faults of a server of AAP version 3, by the rule that each breaks. */
const FAULTS_OF_3: Faults = {
  '2': ({ path }, answer) => {
    if (path.endsWith('/meta')) answer.text = answer.text.replaceAll(/"version":"\d[^"]*"/g, '"version":"latest"')
  },
  '6': ({ path }, answer) => {
    if (path.endsWith('/meta')) answer.text = answer.text.replaceAll('"parameters":{', '"parameters":{"$schema":"x",')
  },
  '9': ({ authorization }, answer) => {
    if (authorization.trim() === 'Bearer') answer.status = 500
  },
  '13': hideErrorBody,
  '18': ({ path, method }, answer) => {
    if (method === 'POST' && path.endsWith('/sessions') && answer.status === 201) answer.status = 200
  },
  '33': ({ path }, answer) => {
    if (path.includes('?after=')) answer.status = 200
  },
  '36': ({ path, method }, answer) => {
    if (method === 'GET' && /\/sessions\/[^/]+$/.test(path) && answer.status === 404) answer.text = '{}'
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
  '84': loseLineSeparators,
  '90': ({ path }, answer) => {
    if (path.includes('/history')) answer.text = answer.text.replaceAll(/Tool call denied(?!:)/g, 'No')
  },
}

const isSession = (path: string): boolean => /\/session\/[^/?]+$/.test(path)
const lastRole = (body: string): unknown => {
  const { messages } = JSON.parse(body) as { readonly messages?: readonly { readonly role: string }[] }
  return messages?.at(-1)?.role
}

/** Twelve faults of a server of AAP version 1. */
const FAULTS_OF_1: Faults = {
  '13': hideErrorBody,
  '36': ({ path, method }, answer) => {
    if (method === 'GET' && isSession(path) && answer.status === 404) answer.text = '{}'
  },
  '54': ({ body }, answer) => {
    if (body.includes('"sideways"')) answer.status = 200
  },
  '84': loseLineSeparators,
  '115': ({ path }, answer) => {
    if (path.endsWith('/meta')) answer.text = answer.text.replace('"inputSchema":{', '"parameters":{},"inputSchema":{')
  },
  '116': ({ method }, answer) => {
    if (method === 'PUT' && answer.status === 201) answer.status = 200
  },
  '117': ({ method }, answer) => {
    if (method === 'PUT') answer.text = answer.text.replace('event: session_start', 'event: session_open')
  },
  '118': ({ method, body }, answer) => {
    if (method === 'PUT' && answer.status === 400 && body.endsWith('}') && lastRole(body) === 'assistant')
      answer.status = 200
  },
  '120': ({ method, path }, answer) => {
    const isTurn = method === 'POST' && isSession(path) && answer.status === 200
    if (isTurn) answer.text = answer.text.replace(/^\{/, '{"sessionId":"x",')
  },
  '122': ({ path }, answer) => {
    if (path.endsWith('?history=full')) answer.text = answer.text.replace('"history":{', '"history":{"compacted":[],')
  },
  '123': ({ path, method }, answer) => {
    if (method !== 'GET' || !path.endsWith('/sessions') || answer.status !== 200) return
    const { sessions } = JSON.parse(answer.text) as { readonly sessions: readonly string[] }
    answer.text = JSON.stringify({ sessions: sessions.map((sessionId) => ({ sessionId })) })
  },
  '124': ({ method }, answer) => {
    if (method === 'DELETE' && answer.status === 204) answer.status = 200
  },
}

const FAULTS = { 3: FAULTS_OF_3, 1: FAULTS_OF_1 } as const

export const AAP_FAULTS = { 3: Object.keys(FAULTS_OF_3), 1: Object.keys(FAULTS_OF_1) } as const

/** The server at `target`, with all twelve faults of that version. */
export async function startFaultyAap(
  target: string,
  version: 1 | 3,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    void pass(target, incoming, FAULTS[version]).then(({ status, type, text }) =>
      outgoing.writeHead(status, { 'content-type': type }).end(status === 204 ? undefined : text),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function pass(target: string, incoming: IncomingMessage, faults: Faults): Promise<Answered> {
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
  for (const spoil of Object.values(faults)) spoil({ method, path, body, authorization }, answer)
  return answer
}

// Hidden characters, and a server where a user, a model, a repository and an MCP server have written them everywhere.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRestClient } from '../blade/rest-client.ts'
import { V3 } from '../support/aap-dialect.ts'
import { eventually } from '../support/eventually.ts'
import { askOwner } from '../support/owner-socket.ts'
import { call, NEXT, script } from '../support/script.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'

export const HIDDEN: Readonly<Record<string, string>> = {
  'a window title': '\u001b]0;owned\u0007',
  'the clipboard': '\u001b]52;c;cm0gLXJmIH4=\u0007',
  'a cleared screen': '\u001b[2J',
  'a moved cursor': '\u001b[1A\u001b[1G',
  'concealed text': '\u001b[8m',
  'a hyperlink': '\u001b]8;;http://evil.example\u001b\\',
  'an 8-bit sequence': '\u009b31m',
  'a carriage return': '\r',
  'a backspace': '\b',
  delete: '\u007f',
  'a bidirectional override': '\u202e',
  'an isolate': '\u2066',
  'a zero-width space': '\u200b',
  'a byte order mark': '\ufeff',
  tags: '\u{e0072}\u{e006d}',
  'unused code points that are invisible': '\ufff0\u{e0080}\u{e0fff}',
  'a letter without a shape': '\u3164',
  'a line separator': '\u2028',
}
export const ALL = Object.values(HIDDEN).join('')

/** Spelled out only where a person approves: ordinary text has them too. */
export const LOOK_ALIKES = ['\u2215', '\u2044', '\uff0f', '\u00a0', '\u2800', '\ufe0f']

const MARKS = `e${'\u0301'.repeat(40)}`
/** Bash and file names refuse half a character; other places take it. */
const HALF = '\ud83d'
export const evil = (place: string, more = HALF): string => `${place}${ALL}${more}${MARKS}end`

/** Colours, and what the terminal and the line editor of Node write themselves. */
// oxlint-disable-next-line no-control-regex
const OURS = /\u001b\[(?:0|1|2|31|32|36)?m|\u001b\[\d*[GJKC]|\u001b\[\?2004[hl]|\r+\n|\r(?=\u001b|$)/g
const UNSAFE =
  /(?![\n\t])[\p{Cc}\p{Cs}]|[\u200b\u2028\u202a-\u202e\u2066-\u2069\u3164\ufeff\ufff0\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}]|\u0301{5}/u

/** The first hidden character that came through. */
export const rawIn = (shown: string): string | undefined => UNSAFE.exec(shown.replace(OURS, '\n'))?.[0]

export function spelled(text: string): string {
  return Array.from(text)
    .map((one) => {
      const code = (one.codePointAt(0) ?? 0).toString(16)
      if (/[ -~]/.test(one)) return one
      return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
    })
    .join('')
}

export interface HostileServer {
  readonly server: ServerProcess
  /** Its turn waits for a question and for approvals of several tools. */
  readonly sessionId: string
  readonly directory: string
  /** Another one of the same kind. */
  openSession(): Promise<string>
}

export async function startHostileServer(folder: string): Promise<HostileServer> {
  const directory = join(folder, 'work')
  await mkdir(directory)
  await writeFile(join(folder, 'mcp.mjs'), MCP_SERVER)
  const servers = {
    bad: { command: 'sh', args: ['-c', 'printf "\\033[2Jno\\302\\23331m\\342\\200\\256" >&2; exit 1'] },
    ev: { command: process.execPath, args: [join(folder, 'mcp.mjs')] },
  }
  await writeFile(join(folder, 'polylogue.config.mjs'), `export default { mcpServers: ${JSON.stringify(servers)} }\n`)
  const server = await startServerProcess({
    dataDir: join(folder, 'data'),
    startDir: folder,
    environment: { POLYLOGUE_LOG: 'debug' },
  })
  const owner = (method: string, path: string, body?: object) =>
    askOwner(server.dataDir, { method, path: `/api/polylogue${path}`, body })
  // A turn that begins earlier has no tools of the server.
  await eventually(async () => {
    const { servers } = (await owner('GET', '/mcp')).body as { servers: readonly { name: string; state: string }[] }
    return servers.find(({ name, state }) => name === 'ev' && state === 'ready')
  }, 'the MCP server')
  await owner('POST', '/memory', { content: evil('memory'), topic: evil('topic').slice(0, 60) })
  await owner('POST', '/permissions', { tool: 'Bash', action: 'ask', args: { command: evil('pattern').slice(0, 60) } })
  await owner('POST', '/permissions', { tool: 'Write', action: 'ask' })
  const blade = createRestClient(server)
  const task = { title: evil('task').slice(0, 100), prompt: evil('prompt'), cron: '0 0 1 1 *', timezone: 'UTC' }
  await blade.send('POST', '/scheduled-tasks', { ...task, enabled: false })
  const openSession = async (): Promise<string> => {
    const made = await owner('POST', '/sessions', { agent: 'scripted', directory })
    const { sessionId } = made.body as { readonly sessionId: string }
    await blade.send('PATCH', `/sessions/${sessionId}`, { intent: evil('title') })
    const said = `say ${evil('answer').replaceAll(/[\r\u2028]/g, '')}`
    const lines = [said, call('c0', 'echo', { msg: evil('result') }), NEXT, ...WAITING]
    await server.client(V3).turn(sessionId, { messages: [{ role: 'user', content: script(...lines) }] })
    return sessionId
  }
  return { server, sessionId: await openSession(), directory, openSession }
}

const QUESTION = {
  question: evil('question'),
  header: `header${HIDDEN['a window title']}`,
  options: [{ label: evil('label'), description: evil('about') }, { label: 'B' }],
  multiSelect: false,
}
/** What waits, one call for each place. The question comes last: terminals ask in this order. */
const WAITING = [
  call('c1', 'Bash', { command: `touch ${evil('command', LOOK_ALIKES.join(''))}` }),
  call('c2', 'Write', { path: evil('file', '').replaceAll('/', ''), content: evil('content') }),
  call('c3', 'Schedule', { action: 'create', title: evil('task'), prompt: evil('prompt'), cron: '0 0 1 1 *' }),
  call('c4', 'mcp_ev_t1', { a: evil('argument') }),
  call('c5', 'AskUserQuestion', { questions: [QUESTION] }),
]

const MCP_SERVER = `import { createInterface } from 'node:readline'
const evil = (place) => place + ${JSON.stringify(ALL)} + 'end'
const results = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {}, prompts: {} }, serverInfo: { name: evil('mcp'), version: evil('1') } },
  'tools/list': { tools: [{ name: 't1', title: evil('Tool'), description: evil('tool'), inputSchema: { type: 'object' } }] },
  'prompts/list': { prompts: [{ name: 'p1', description: evil('prompt'), arguments: [{ name: evil('argument') }] }] },
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line)
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }) + '\\n')
}
`

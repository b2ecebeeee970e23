import type { RunningServer } from '@polylogue/server'
import { fileURLToPath } from 'node:url'
import type { Output } from './terminal.ts'

const PROGRAM = fileURLToPath(new URL('../../../polylogue', import.meta.url))

/** What a human sees when the server is ready. The lines to paste run in any POSIX shell, one after the other. */
export function formatBanner(server: RunningServer, dataDir: string, { bold, dim }: Output): string {
  const {
    url = '',
    localKey = '',
    openAddresses,
    signInUrl,
    agents,
    defaultAgent,
    modelNote,
    confinementNote,
    firstStart,
  } = server
  const fact = (name: string, ...lines: readonly string[]) =>
    lines.map((line, index) => `${dim((index === 0 ? name : '').padEnd(8))} ${line}`)
  const lines = [
    `${bold(firstStart ? 'Welcome! Polylogue is ready' : 'Polylogue is ready')} at ${url}`,
    '',
    ...(signInUrl === undefined
      ? []
      : ['Open it in your browser (the link works once, for ten minutes):', '', signInUrl, '']),
    'Or paste these lines into a shell, one after the other:',
    '',
    ...formatCurlLines({ url, key: localKey, agent: defaultAgent }),
    '',
    'Or use it in an editor. For Zed, in settings.json (others: docs/doors/acp.md):',
    '',
    formatZedLine(dataDir),
    '',
    'Or in a program, with socket.io-client (more: docs/doors/blade.md):',
    '',
    ...formatSocketLines({ url, key: localKey }),
    '',
    ...fact('Agents', agents.join(', ')),
    ...fact('Model', ...modelNote.split(/(?<=\.) (?=[A-Z])/)),
    ...fact('Sandbox', ...confinementNote.split(/(?<=\.) (?=[A-Z])/)),
    ...fact(
      'Config',
      'polylogue.config.ts or agents/*.md where you start it, or --config FILE (see examples/own-agent).',
    ),
    ...(openAddresses === undefined ? [] : fact('Network', formatReach(openAddresses))),
    ...fact('Key', localKey),
    ...fact('Data', dataDir),
    ...fact('Stop', 'Ctrl-C lets running turns finish; a second one stops at once. Nothing is lost either way.'),
  ]
  return `\n${lines.join('\n')}\n\n`
}

/** What whoever opens a port to others must know. */
export function formatReach(addresses: readonly string[]): string {
  const place = addresses.length === 0 ? '' : ` at ${addresses.join(', ')}`
  return `Other machines reach it${place}, without TLS: keys and texts can be read on the way (docs/guide/self-hosting.md).`
}

/** Opens a session and streams a turn, with nothing but a shell, curl and sed. */
export function formatCurlLines(target: {
  readonly url: string
  readonly key: string
  readonly agent: string
}): readonly string[] {
  const { url, key, agent } = target
  const headers = `-H "Authorization: Bearer $KEY" -H 'Content-Type: application/json'`
  const session = quote({ agent: { name: agent } })
  const turn = quote({ stream: 'delta', messages: [{ role: 'user', content: 'Hello! What can you do?' }] })
  return [
    `URL=${url}/aap/v3 KEY=${key}`,
    `SESSION=$(curl -s "$URL/sessions" ${headers} -d ${session} | sed 's/.*"sessionId":"\\([^"]*\\)".*/\\1/')`,
    `curl -sN "$URL/sessions/$SESSION/turns" ${headers} -d ${turn}`,
  ]
}

/** Opens a session and sends a message to it; everything that happens is printed. */
export function formatSocketLines({ url, key }: { readonly url: string; readonly key: string }): readonly string[] {
  const headers = `{ authorization: 'Bearer ${key}', 'content-type': 'application/json' }`
  return [
    `const made = await fetch('${url}/api/sessions', { method: 'POST', headers: ${headers}, body: '{}' })`,
    `const socket = io('${url}', { auth: { token: '${key}' } }).onAny(console.log)`,
    `socket.emit('chat:send', { ...(await made.json()), message: 'Hello! What can you do?' })`,
  ]
}

/** An editor starts a process of its own, which finds this server by its data directory. */
export function formatZedLine(dataDir: string): string {
  const server = { type: 'custom', command: PROGRAM, args: ['acp', '--data', dataDir] }
  return `"agent_servers": ${JSON.stringify({ Polylogue: server })}`
}

function quote(value: object): string {
  return `'${JSON.stringify(value).replaceAll("'", `'\\''`)}'`
}

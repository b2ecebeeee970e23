import type { RunningServer } from '@polylogue/server'
import { START_COMMAND } from './launcher.ts'
import type { Output } from './terminal.ts'

/** Printed when the server is ready. The lines to paste run in any POSIX shell, one after the other. */
export function formatBanner(server: RunningServer, dataDir: string, output: Output): string {
  const { bold, dim } = output
  const {
    url = '',
    localKey = '',
    localKeyFile,
    configFile,
    openAddresses,
    agents,
    modelNote,
    keyNotes,
    confinementNote,
    firstStart,
    node,
  } = server
  const isWorker = node?.role === 'worker'
  const fact = (name: string, ...lines: readonly string[]) =>
    lines.map((line, index) => `${dim((index === 0 ? name : '').padEnd(8))} ${line}`)
  const where = node === undefined ? 'at the next start' : 'on another node, or at the next start'
  const lines = [
    `${bold(firstStart ? 'Welcome! Polylogue is ready' : 'Polylogue is ready')} at ${url}`,
    '',
    ...(isWorker
      ? ['This node runs turns that other nodes admit. It serves /healthz, /readyz and /metrics only.', '']
      : formatWays(server, dataDir)),
    ...fact('Agents', agents.join(', ')),
    ...fact('Model', ...modelNote.split(/(?<=\.) (?=[A-Z])/)),
    ...fact('No key', ...keyNotes),
    ...fact('Sandbox', ...confinementNote.split(/(?<=\.) (?=[A-Z])/)),
    ...fact(
      'Config',
      configFile ??
        'none: polylogue.config.ts or agents/*.md in this folder, or --config FILE (see examples/own-agent)',
    ),
    ...(openAddresses === undefined ? [] : fact('Network', formatReach(openAddresses))),
    // The permanent key is shown once, and never to a pipe, where a log would keep it.
    ...fact(
      'Key',
      firstStart && output.isTerminal ? `${localKey} (shown only now; kept in ${localKeyFile})` : localKeyFile,
    ),
    ...fact('Data', dataDir),
    ...(node === undefined ? [] : fact('Database', `${node.database}, as a node of the role ${node.role}`)),
    ...fact('Stop', `Ctrl-C lets running turns finish. A second Ctrl-C stops at once; the turns continue ${where}.`),
  ]
  return `\n${lines.join('\n')}\n\n`
}

/** How to talk to the server. */
function formatWays(server: RunningServer, dataDir: string): readonly string[] {
  const { url = '', localKeyFile, signInUrl, defaultAgent } = server
  return [
    ...(signInUrl === undefined
      ? []
      : ['Open it in your browser (the link works once, for ten minutes):', '', signInUrl, '']),
    'Or paste these lines into a shell, one after the other:',
    '',
    ...formatCurlLines({ url, keyFile: localKeyFile, agent: defaultAgent }),
    '',
    'Or use it in an editor. For Zed, in settings.json (others: docs/doors/acp.md):',
    '',
    formatZedLine(dataDir),
    '',
    'Or in a program, with socket.io-client (more: docs/doors/blade.md):',
    '',
    ...formatSocketLines({ url, keyFile: localKeyFile }),
    '',
  ]
}

/** A warning for whoever opens a port to other machines. */
export function formatReach(addresses: readonly string[]): string {
  const place = addresses.length === 0 ? '' : ` at ${addresses.join(', ')}`
  return `Other machines can connect${place}, without TLS: keys and texts can be read on the way (docs/guide/self-hosting.md).`
}

/** Opens a session and streams a turn with a shell, curl and sed. */
export function formatCurlLines(target: {
  readonly url: string
  readonly keyFile: string
  readonly agent: string
}): readonly string[] {
  const { url, keyFile, agent } = target
  const headers = `-H "Authorization: Bearer $KEY" -H 'Content-Type: application/json'`
  const session = quote({ agent: { name: agent } })
  const turn = quote({ stream: 'delta', messages: [{ role: 'user', content: 'Hello! What can you do?' }] })
  return [
    `URL=${url}/aap/v3 KEY=$(cat ${quoteWord(keyFile)})`,
    `SESSION=$(curl -fsS "$URL/sessions" ${headers} -d ${session} | sed 's/.*"sessionId":"\\([^"]*\\)".*/\\1/')`,
    `curl -fsSN "$URL/sessions/$SESSION/turns" ${headers} -d ${turn}`,
  ]
}

/** Opens a session, sends a message to it and prints everything that happens. */
export function formatSocketLines({
  url,
  keyFile,
}: {
  readonly url: string
  readonly keyFile: string
}): readonly string[] {
  const headers = "{ authorization: `Bearer ${token}`, 'content-type': 'application/json' }"
  return [
    `const token = (await import('node:fs')).readFileSync(${JSON.stringify(keyFile)}, 'utf8').trim()`,
    `const made = await fetch('${url}/api/sessions', { method: 'POST', headers: ${headers}, body: '{}' })`,
    `const socket = io('${url}', { auth: { token } }).onAny(console.log)`,
    `socket.emit('chat:send', { ...(await made.json()), message: 'Hello! What can you do?' })`,
  ]
}

/** The editor starts a process of its own, which finds this server by its data directory. */
export function formatZedLine(dataDir: string): string {
  const [command, ...first] = START_COMMAND
  const server = { type: 'custom', command, args: [...first, 'acp', '--data', dataDir] }
  return `"agent_servers": ${JSON.stringify({ Polylogue: server })}`
}

function quote(value: object): string {
  return `'${JSON.stringify(value).replaceAll("'", `'\\''`)}'`
}

/** A word of a POSIX shell. */
function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

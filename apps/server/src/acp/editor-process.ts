import { createRelay, writeHandshake, type AcpHandshake, type Relay } from '@polylogue/acp/light'
import { readVersion } from '../version.ts'
import { within } from '../within.ts'
import { openEditorStdio, type EditorStdio } from './editor-stdio.ts'
import type { OpenedBack } from '../pipe/open-back.ts'
import type { ServeOptions } from '../serve-options.ts'

export interface EditorProcessOptions {
  readonly owner: ServeOptions
  readonly handshake: AcpHandshake
}

/** The door that editors come to. */
const DOOR = 'acp'
/** The owner cancels, answers and hangs up within five seconds. */
const GOODBYE_MS = 5_500
/** The answer to the greeting leaves first. */
const AFTER_GREETING_MS = 20
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * Runs `polylogue acp`: answers an editor on stdin and stdout until it leaves. The owner of the data directory does the
 * work; if there is none, this process becomes the owner. After the first frame was answered, the server is loaded and
 * opened: an editor that greets will open a session.
 */
export async function serveEditor({ owner, handshake }: EditorProcessOptions): Promise<void> {
  const leaving = Promise.withResolvers<void>()
  const note = (sentence: string): void => void process.stderr.write(`polylogue: ${sentence}\n`)
  const stdio = openEditorStdio()
  const relay = createRelay({
    profile: handshake.profile,
    version: readVersion(),
    toEditor: (bytes) => stdio.write(bytes),
    note,
  })
  const leave = (): void => {
    relay.finish()
    leaving.resolve()
  }
  let loading: NodeJS.Timeout | undefined
  if (process.stdin.isTTY) note('This speaks with editors, in JSON-RPC. Try polylogue run, or polylogue acp --help.')
  stdio.listen({
    line(line) {
      relay.fromEditor(line)
      if (relay.isFull) stdio.pause()
      loading ??= setTimeout(() => {
        if (!relay.isOver) void load(owner.dataDir).then(() => relay.expectWork())
      }, AFTER_GREETING_MS)
    },
    left(reason) {
      if (reason !== undefined) note(reason)
      leave()
    },
  })
  using _signals = onSignals(leave)

  for (let isFirst = true; await relay.needsBack(); isFirst = false) {
    const { openBack } = await import('../pipe/open-back.ts')
    const request = { door: DOOR, handshake: writeHandshake(withoutGrantedWish(handshake, relay)) }
    const opening = openBack({ ...owner, role: 'editor' }, request, { left: () => relay.isOver, isFirst })
    const back = await opening.catch((error: unknown) => {
      if (relay.missedBack()) throw error
    })
    if (back === undefined) {
      if (relay.isOver) break
      continue
    }
    const carried = carry(relay, back, stdio)
    await Promise.race([carried, leaving.promise.then(() => within(GOODBYE_MS, carried))])
    relay.lost()
    await back.leave(relay.isOver ? 'client-left' : 'lost')
    if (!relay.isOver) note('The process that owned the data directory has gone. Looking for the next one.')
  }
  await stdio.flush()
}

/** Contract: never rejects. The first request meets the same error and reports it. */
async function load(dataDir: string): Promise<void> {
  try {
    const { loadServer } = await import('../pipe/open-back.ts')
    if (await loadServer(dataDir)) await import('@polylogue/acp')
  } catch {
    // See above.
  }
}

async function carry(relay: Relay, back: OpenedBack, stdio: EditorStdio): Promise<void> {
  // Rejects only if the output ends meanwhile, which the loop below sees.
  relay.attach(back).then(
    () => stdio.resume(),
    () => undefined,
  )
  for await (const chunk of back.output) {
    relay.fromBack(chunk)
    await stdio.drained()
  }
}

function withoutGrantedWish({ resume, ...handshake }: AcpHandshake, { hasMadeSession }: Relay): AcpHandshake {
  return resume === undefined || hasMadeSession ? handshake : { ...handshake, resume }
}

/** The first signal ends the editor's session in order; the second ends the process at once. */
function onSignals(leave: () => void): Disposable {
  let hasCome = false
  const listener = (): void => {
    if (hasCome) process.exit(1)
    hasCome = true
    leave()
  }
  for (const signal of SIGNALS) process.on(signal, listener)
  return {
    [Symbol.dispose]() {
      for (const signal of SIGNALS) process.off(signal, listener)
    },
  }
}

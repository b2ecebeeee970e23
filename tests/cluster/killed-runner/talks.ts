// One conversation at each door. Every client goes to the same address; when its connection breaks, it comes back as such
// clients do, and reads on wherever it is served.
import { setTimeout as delay } from 'node:timers/promises'
import { BladeClient, type BladeOutput, createBladeApi } from '@polylogue/blade/client'
import { createConsoleClient, createFetchTransport } from '@polylogue/console/client'
import type { RecordedEvent } from '@polylogue/engine'
import { createSseReader } from '@polylogue/kit'
import { io } from 'socket.io-client'
import { createRestClient } from '../../blade/rest-client.ts'
import type { ReaderHistory, SeenEvent } from '../../checker/history.ts'
import { connectAcp, type AcpClient } from '../../console/acp-client.ts'
import { parseId, toReaderHistories } from '../../crash/seen-by-client.ts'
import { createAapClient } from '../../support/aap-client.ts'
import { V3 } from '../../support/aap-dialect.ts'
import { openSession } from '../../support/aap-session.ts'
import { eventually } from '../../support/eventually.ts'
import type { Frame } from '../../support/sse-parser.ts'

export interface Place {
  readonly url: string
  readonly key: string
  readonly cwd: string
}

/** A conversation whose turn has begun. */
export interface Talk {
  readonly door: string
  readonly id: string
  readonly input: string
  /** Resolves when the client knows the end of the turn. Rejects with what it missed. */
  ended(): Promise<void>
  /** What the client was told, in the format of the checker. */
  readers(): readonly ReaderHistory[]
  close(): void
}

export type Door = (place: Place, input: string) => Promise<Talk>

const AGENT = 'crash'
const COME_BACK_MS = 50
const GIVE_UP_MS = 60_000
const TOOLS = ['look', 'pay'].map((name) => ({ name, trust: true }))

/** Repeats what a broken connection interrupts. */
async function untilDone(attempt: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS
  let last: unknown
  while (performance.now() < giveUpAt) {
    if (await attempt().catch((error: unknown) => void (last = error))) return
    await delay(COME_BACK_MS)
  }
  throw new Error(`the client never learned the end: ${String(last)}`)
}

/** A stream of server-sent events that is resumed after the last event that was seen. */
export const talkByAap: Door = async ({ url, key }, input) => {
  const client = createAapClient({ url, key, dialect: V3 })
  const { id } = await openSession(client, { agent: AGENT, tools: TOOLS })
  const frames: Frame[] = []
  const body = { stream: 'delta', messages: [{ role: 'user', content: input }] }
  const read = async (): Promise<boolean> => {
    const last = frames.at(-1)?.id
    const stream =
      last === undefined
        ? await client.streamTurn(id, body, { 'idempotency-key': id })
        : await client.events(id, `?after=${last}`)
    if (stream.status !== 200) throw new Error(`the stream was refused: ${stream.status}`)
    begun.resolve()
    await stream.finished().catch(() => undefined)
    frames.push(...stream.frames)
    return frames.at(-1)?.event === 'turn_stop'
  }
  const begun = Promise.withResolvers<void>()
  const reading = untilDone(read)
  reading.catch(begun.reject)
  await begun.promise
  return {
    ...{ door: 'AAP', id, input },
    ended: () => reading,
    readers: () => {
      const [first] = frames
      return first === undefined ? [] : toReaderHistories(frames, parseId(first).seq - 1)
    },
    close: () => undefined,
  }
}

/** A socket that reconnects by itself. Its fold must become the history that the server gives to a newcomer. */
export const talkByBlade: Door = async ({ url, key }, input) => {
  const client = new BladeClient(io, { url, token: key, transports: ['websocket'] })
  const told: BladeOutput[] = []
  client.listen((output) => void told.push(output))
  await client.connect()
  const rest = createRestClient({ url, key })
  const api = createBladeApi({ url, token: key })
  const id = await rest.create({ solution_id: AGENT })
  await client.subscribe(id)
  const ack = await client.send(id, input)
  if (ack.status !== 'ok') throw new Error(`Blade refused: ${ack.code}`)
  const textsOf = (turns: readonly { readonly role: string; readonly blocks: readonly object[] }[]): string =>
    JSON.stringify(turns.filter(({ role }) => role === 'assistant').map(({ blocks }) => blocks))
  return {
    ...{ door: 'Blade', id, input },
    async ended() {
      await untilDone(async () => (await rest.session(id)).status === 'completed')
      const stored = textsOf(await rest.messages(id))
      await eventually(
        async () => {
          const fold = client.state(id)
          // It came back after the end.
          if (fold.isDirty) fold.load(await api.messages(id))
          return textsOf(fold.turns) === stored ? true : undefined
        },
        `the client has ${stored}, not ${textsOf(client.state(id).turns)}`,
      )
      const numbers = told.flatMap(({ event, payload }) => (event === 'turn:patch' ? [payload.sequence] : []))
      const isGrowing = numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0))
      if (!isGrowing) throw new Error(`the numbers of the patches do not grow: ${numbers.join(' ')}`)
    },
    readers: () => [],
    close: () => client.close(),
  }
}

/** The log that the console follows: every event, with its number. */
export const talkByConsole: Door = async ({ url, key }, input) => {
  const api = createConsoleClient(createFetchTransport({ url, key }))
  const { sessionId: id } = await api.createSession({ body: { agent: AGENT, preset: 'full-access' } })
  const chat = new BladeClient(io, { url, token: key, transports: ['websocket'], folds: false })
  await chat.connect()
  const ack = await chat.send(id, input)
  if (ack.status !== 'ok') throw new Error(`the console was refused: ${ack.code}`)
  const seen: SeenEvent[] = []
  const follow = async (): Promise<boolean> => {
    const stop = new AbortController()
    const answer = await fetch(`${url}/api/polylogue/sessions/${id}/events?follow=1&after=${seen.at(-1)?.seq ?? 0}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: stop.signal,
    })
    if (answer.status !== 200) throw new Error(`the log was refused: ${answer.status}`)
    const reader = createSseReader()
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      for (const { event: kind, id: seq, data } of reader.push(chunk)) {
        if (kind === 'resync') throw new Error('the log was told anew')
        if (seq === undefined) continue
        const { event } = JSON.parse(data) as { readonly event: RecordedEvent }
        seen.push({ seq: Number(seq), event })
        if (event.type === 'turn.ended') stop.abort()
      }
    }
    return false
  }
  const reading = untilDone(async () => {
    await follow().catch(() => undefined)
    return seen.at(-1)?.event?.type === 'turn.ended'
  })
  reading.catch(() => undefined)
  return {
    ...{ door: 'console', id, input },
    ended: () => reading,
    readers: () => [{ after: 0, seen, isGapless: true }],
    close: () => chat.close(),
  }
}

/** An editor over the network. It loads its session again where it comes back. */
export const talkByAcp: Door = async ({ url, key, cwd }, input) => {
  let editor = await connectAcp(url, key, AGENT)
  const { sessionId } = await editor.request('session/new', { cwd, mcpServers: [] })
  const id = String(sessionId)
  let hasAnswer = false
  void editor
    .begin('session/prompt', { sessionId: id, prompt: [{ type: 'text', text: input }] })
    .then(() => (hasAnswer = true))
  const rest = createRestClient({ url, key })
  await untilDone(async () => (await rest.messages(id)).length > 0)
  return {
    ...{ door: 'ACP', id, input },
    async ended() {
      await untilDone(async () => (await rest.session(id)).status !== 'running')
      if (hasAnswer) return
      await untilDone(async () => {
        editor.close()
        editor = await connectAcp(url, key, AGENT)
        await editor.request('session/load', { sessionId: id, cwd, mcpServers: [] })
        return true
      })
      const [first = ''] = input.split('\n')
      if (!textOf(editor, 'user_message_chunk').includes(first)) throw new Error('the editor lacks the prompt')
      const again = await editor.request('session/prompt', {
        sessionId: id,
        prompt: [{ type: 'text', text: 'say on it goes' }],
      })
      if (again['stopReason'] !== 'end_turn') throw new Error(`the next turn ended as ${String(again['stopReason'])}`)
    },
    readers: () => [],
    close: () => editor.close(),
  }
}

function textOf({ frames }: AcpClient, kind: string): string {
  return frames
    .map((frame) => JSON.stringify(frame))
    .filter((text) => text.includes(`"${kind}"`))
    .join('')
}

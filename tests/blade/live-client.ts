import { BladeClient, type BladeClientOptions, type BladeOutput, type ToolCallProjection } from '@polylogue/blade'
import { io } from 'socket.io-client'
import { onTestFinished } from 'vitest'

/** A connected client that remembers what it was told; it leaves with the test. */
export interface LiveClient {
  readonly client: BladeClient
  readonly told: readonly BladeOutput[]
  /** Resolves when so many runs have ended, from the beginning. */
  ends(count: number): Promise<void>
  until(isSo: () => boolean): Promise<void>
  /** A call as it is known here. */
  call(sessionId: string, id: string): ToolCallProjection | undefined
  /** Chooses an option of a question, or of an approval. */
  choose(sessionId: string, id: string, option: number): Promise<string>
}

export async function connectLive(options: BladeClientOptions): Promise<LiveClient> {
  const client = new BladeClient(io, options)
  onTestFinished(() => client.close())
  const told: BladeOutput[] = []
  const waiting = new Set<() => void>()
  client.listen((output) => {
    told.push(output)
    for (const check of waiting) check()
  })
  await client.connect()
  const until = async (isSo: () => boolean): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const check = (): void => {
      if (isSo()) resolve()
    }
    waiting.add(check)
    check()
    await promise
    waiting.delete(check)
  }
  return {
    client,
    told,
    until,
    ends: (count) => until(() => told.filter(({ event }) => event === 'chat:end').length >= count),
    call: (sessionId, id) =>
      client
        .state(sessionId)
        .turns.flatMap(({ tool_calls }) => tool_calls)
        .find((call) => call.id === id),
    async choose(sessionId, id, option) {
      const ack = await client.answer(sessionId, { tool_call_id: id, selections: { '0': [option] }, custom: {} })
      return ack.status === 'ok' ? 'ok' : ack.code
    },
  }
}

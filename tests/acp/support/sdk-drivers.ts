import { Readable, Writable } from 'node:stream'
import type { ChildProcess } from 'node:child_process'
import { client, ndJsonStream } from '@agentclientprotocol/sdk'
import * as sdk04 from 'acp-sdk-0-4'
import * as sdk10 from 'acp-sdk-1-0'
import type { Params, Update } from './acp-process.ts'

/** What an editor does with a session, whichever version of the SDK it was built with. */
export interface SdkDriver {
  initialize(): Promise<Params>
  newSession(cwd: string): Promise<Params>
  load(sessionId: string, cwd: string): Promise<Params>
  setMode(sessionId: string, modeId: string): Promise<Params>
  prompt(sessionId: string, text: string): Promise<Params>
  cancel(sessionId: string): Promise<void>
}

export interface SdkListener {
  update(update: Update): void
  /** The id of the option to choose. */
  permission(toolCallId: string): string
}

const CAPABILITIES = { fs: { readTextFile: false, writeTextFile: false }, terminal: false }

function toStreams({ stdin, stdout }: ChildProcess) {
  if (!stdin || !stdout) throw new Error('it has no pipes')
  const output = Writable.toWeb(stdin) as WritableStream<Uint8Array>
  const input = Readable.toWeb(stdout) as unknown as ReadableStream<Uint8Array>
  return { output, input }
}

/** The SDK's own client app, of the version that the door is built with. */
function drive24(child: ChildProcess, { update, permission }: SdkListener): SdkDriver {
  const { output, input } = toStreams(child)
  const { agent } = client({ name: 'test' })
    .onNotification('session/update', ({ params }) => update(params.update as unknown as Update))
    .onRequest('session/request_permission', ({ params }) => ({
      outcome: { outcome: 'selected', optionId: permission(params.toolCall.toolCallId) },
    }))
    .connect(ndJsonStream(output, input))
  const ask = async (method: string, params: object): Promise<Params> => (await agent.request(method, params)) as Params
  return {
    initialize: () => ask('initialize', { protocolVersion: 1, clientCapabilities: CAPABILITIES }),
    newSession: (cwd) => ask('session/new', { cwd, mcpServers: [] }),
    load: (sessionId, cwd) => ask('session/load', { sessionId, cwd, mcpServers: [] }),
    setMode: (sessionId, modeId) => ask('session/set_mode', { sessionId, modeId }),
    prompt: (sessionId, text) => ask('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    cancel: (sessionId) => agent.notify('session/cancel', { sessionId }),
  }
}

/** The connection class that editors used before there were apps. */
function driveOlder(sdk: typeof sdk04 | typeof sdk10) {
  return (child: ChildProcess, { update, permission }: SdkListener): SdkDriver => {
    const { output, input } = toStreams(child)
    const handlers = {
      async sessionUpdate(params: { readonly update: unknown }) {
        update(params.update as Update)
      },
      async requestPermission({ toolCall }: { readonly toolCall: { readonly toolCallId: string } }) {
        return { outcome: { outcome: 'selected' as const, optionId: permission(toolCall.toolCallId) } }
      },
    }
    const connection = new (sdk as typeof sdk10).ClientSideConnection(
      () => handlers,
      (sdk as typeof sdk10).ndJsonStream(output, input),
    )
    const plain = async (answer: Promise<unknown>): Promise<Params> => (await answer) as Params
    return {
      initialize: () => plain(connection.initialize({ protocolVersion: 1, clientCapabilities: CAPABILITIES })),
      newSession: (cwd) => plain(connection.newSession({ cwd, mcpServers: [] })),
      load: (sessionId, cwd) => plain(connection.loadSession({ sessionId, cwd, mcpServers: [] })),
      setMode: (sessionId, modeId) => plain(connection.setSessionMode({ sessionId, modeId })),
      prompt: (sessionId, text) => plain(connection.prompt({ sessionId, prompt: [{ type: 'text', text }] })),
      cancel: (sessionId) => connection.cancel({ sessionId }),
    }
  }
}

export const SDK_DRIVERS = [
  { version: '2.4.0', drive: drive24 },
  { version: '1.0.0', drive: driveOlder(sdk10) },
  { version: '0.4.9', drive: driveOlder(sdk04) },
] as const

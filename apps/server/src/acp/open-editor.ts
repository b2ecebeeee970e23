import type { AgentCatalog } from '@polylogue/engine'
import { EXIT_FAILURE, ServeError } from '../serve-error.ts'
import { toEditorOptions, type AcpConnections } from './acp-connections.ts'
import type { AcpHandshake } from './handshake.ts'

/** The bytes of an editor, seen from its side. */
export interface EditorStreams {
  readonly input: WritableStream<Uint8Array>
  readonly output: ReadableStream<Uint8Array>
}

export interface OpenEditorDeps {
  readonly connections: AcpConnections
  readonly agents: Pick<AgentCatalog, 'find'> & { readonly defaultName: string }
}

/** How much of an answer may wait in between before the door notices that its editor is slow. */
const BETWEEN_BYTES = 64 * 1024

/** For the editor whose process this is. */
export async function openEditor(
  handshake: AcpHandshake,
  { connections, agents }: OpenEditorDeps,
): Promise<EditorStreams> {
  const agent = handshake.agent ?? agents.defaultName
  if (agents.find(agent) === undefined) throw new ServeError(`There is no agent called ${agent}.`, EXIT_FAILURE)
  const bySize = new ByteLengthQueuingStrategy({ highWaterMark: BETWEEN_BYTES })
  const requests = new TransformStream<Uint8Array, Uint8Array>({}, bySize)
  const answers = new TransformStream<Uint8Array, Uint8Array>({}, bySize)
  const connection = await connections.open(() =>
    toEditorOptions(handshake, agent, { input: requests.readable, output: answers.writable }),
  )
  if (connection === undefined) throw new ServeError('The server is shutting down.', EXIT_FAILURE)
  return { input: requests.writable, output: answers.readable }
}

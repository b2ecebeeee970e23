import type { AcpProcess, Params } from './acp-process.ts'

export const CLIENT = { protocolVersion: 1, clientCapabilities: {} }

/** One session of an editor, in the words of a test. */
export interface AcpSession {
  readonly id: string
  readonly process: AcpProcess
  /** The result of the prompt: how it stopped. */
  prompt(text: string): Promise<Params>
  setMode(modeId: string): Promise<Params>
}

export async function openAcpSession(
  process: AcpProcess,
  cwd: string,
  mcpServers: readonly object[] = [],
): Promise<AcpSession> {
  await process.request('initialize', CLIENT)
  const { sessionId } = await process.request('session/new', { cwd, mcpServers })
  return attachAcpSession(process, String(sessionId))
}

export function attachAcpSession(process: AcpProcess, id: string): AcpSession {
  return {
    id,
    process,
    prompt: (text) => process.request('session/prompt', { sessionId: id, prompt: [{ type: 'text', text }] }),
    setMode: (modeId) => process.request('session/set_mode', { sessionId: id, modeId }),
  }
}

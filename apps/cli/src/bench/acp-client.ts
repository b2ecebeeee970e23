import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** An editor that only counts the updates it gets. */
export interface AcpClient {
  readonly child: ChildProcess
  request(method: string, params: object): Promise<Readonly<Record<string, unknown>>>
  /** The length of all text from the agent, in characters. */
  readonly textLength: number
  close(): Promise<void>
}

interface Frame {
  readonly id?: number
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: unknown
  readonly params?: { readonly update?: { readonly content?: { readonly text?: string } } }
}

export function startAcpClient(command: string, args: readonly string[]): AcpClient {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  const open = new Map<number, PromiseWithResolvers<Readonly<Record<string, unknown>>>>()
  let textLength = 0
  let lastId = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error, params } = JSON.parse(line) as Frame
    textLength += params?.update?.content?.text?.length ?? 0
    if (id === undefined) return
    if (result === undefined) open.get(id)?.reject(new Error(`refused: ${JSON.stringify(error)}`))
    else open.get(id)?.resolve(result)
    open.delete(id)
  })
  child.once('exit', (code) => {
    for (const { reject } of open.values()) reject(new Error(`the agent ended with ${code}`))
  })
  return {
    child,
    request(method, params) {
      const id = ++lastId
      const answer = Promise.withResolvers<Readonly<Record<string, unknown>>>()
      open.set(id, answer)
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      return answer.promise
    },
    get textLength() {
      return textLength
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.stdin.end()
      await exited
    },
  }
}

export const GREETING = { protocolVersion: 1, clientCapabilities: {} }

/** An MCP server as a client gave it, in the spelling of editors. Nobody vouches for it. */
export type GivenMcpServer =
  | {
      readonly type: 'stdio'
      readonly name: string
      readonly command: string
      readonly args: readonly string[]
      readonly env: readonly GivenPair[]
    }
  | {
      readonly type: 'sse' | 'http'
      readonly name: string
      readonly url: string
      readonly headers: readonly GivenPair[]
    }

export interface GivenPair {
  readonly name: string
  readonly value: string
}

const SECRET_NAME = /key|token|secret|passw|credential|auth|cookie/i

/** Reports the values whose names suggest a secret, so that the log can leave them out. */
export function collectGivenSecrets(server: GivenMcpServer, learn: (secret: string) => void): void {
  for (const { name, value } of server.type === 'stdio' ? server.env : server.headers) {
    if (!SECRET_NAME.test(name)) continue
    learn(value)
    // `Bearer <token>`: the token alone is a secret too.
    const [, token] = /^\S+\s+(\S+)$/.exec(value) ?? []
    if (token !== undefined) learn(token)
  }
}

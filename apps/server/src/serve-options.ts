import type { NodeRole } from '@polylogue/engine'
import type { AskedLog } from './log/log.ts'
import type { PipeEnd } from './pipe/open-pipe.ts'

export interface ServeOptions {
  readonly dataDir: string
  /** A URL that `stores.ts` knows; absent = a file in the data directory. */
  readonly database?: string
  /** The database itself, if a pooler of transactions answers at `database`. */
  readonly databaseDirect?: string
  /**
   * What this node does. `editor` has no listener and serves one editor; the others need a database that several nodes
   * share. Default: `all`.
   */
  readonly role?: 'all' | 'web' | 'worker' | 'editor'
  /** URL of a Redis server that carries the messages between nodes. Default: the database carries them. */
  readonly redis?: string
  /** Where other nodes reach this one, for requests of its connections. Default: they do not. */
  readonly nodeUrl?: string
  /** Holds the files of sessions; nodes that share a database share it. Default: the data directory. */
  readonly workspaces?: string
  readonly configFile?: string
  /** Called before a configuration of the start directory is read, unless `configFile` is given. Rejects to refuse it. */
  approveFolder?(directory: string): Promise<void>
  /** Where the configuration is looked for, and what relative paths are relative to. */
  readonly startDir: string
  /** Accepted besides the stored keys, as user `local`. */
  readonly keys?: readonly string[]
  /** Also serve the agents `scripted` and `scripted-min`. */
  readonly scripted?: boolean
  /** Absent = the owner socket only. Port 0 = any free one. */
  readonly listen?: { readonly host: string; readonly port: number }
  readonly allowOrigins?: readonly string[]
  readonly publicUrl?: string
  readonly log?: AskedLog
  /** The process is nothing but this server: what nobody catches is logged and ends it, after a drain. */
  readonly ownsProcess?: boolean
  /** Ends the start: what is open is closed, and `serve` rejects with the reason. No effect on a running server. */
  readonly signal?: AbortSignal
  /** Gives the data directory up when a server wants it: `stopped` resolves then. */
  readonly handsOver?: boolean
}

export interface RunningServer {
  /** Absent without a listener. */
  readonly url?: string
  /** Present if other nodes may share its storage, by its name. */
  readonly node?: { readonly role: NodeRole; readonly database: string }
  /** Where other machines reach it, in plain HTTP. Absent where they do not. */
  readonly openAddresses?: readonly string[]
  /** The file of the configuration that was loaded, absolute; absent when there is none. */
  readonly configFile?: string
  /** The file that holds `localKey`. */
  readonly localKeyFile: string
  /** The plain text in `<data>/local.key`. Absent where it was revoked, without a listener. */
  readonly localKey?: string
  readonly firstStart: boolean
  /** Signs one browser in, once, within ten minutes. Absent without a listener. */
  readonly signInUrl?: string
  /** What is served over TCP, as `GET /aap/v3/meta`. */
  routes(): Promise<readonly string[]>
  readonly agents: readonly string[]
  readonly defaultAgent: string
  /** Which models answer, in a few words. */
  readonly modelNote: string
  /** A sentence for each agent whose provider has no key. */
  readonly keyNotes: readonly string[]
  /** What keeps tools away from the rest of the machine, in a few words. */
  readonly confinementNote: string
  /** Lets running turns finish for `graceMs` (30 s), then closes everything. Idempotent; 0 = now. */
  stop(graceMs?: number): Promise<void>
  readonly stopped: Promise<void>
  /** Opens a pipe to a door from inside this process. Rejects with a `ServeError` when the door refuses. */
  openPipe(door: string, handshake: string): Promise<PipeEnd>
  /** Whether work that came through a pipe is still running. */
  isBusy(): boolean
}

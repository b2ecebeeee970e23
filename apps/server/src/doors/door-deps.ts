import type { IncomingMessage } from 'node:http'
import type { ConsoleDeps, ServerStatus } from '@polylogue/console'
import type { SessionId, UserId } from '@polylogue/engine'
import type { Authenticate } from '../auth/authenticate.ts'
import type { SignInLink } from '../auth/sign-in-link.ts'
import type { Parts } from '../compose.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import type { ClientAddress } from '../http/client-address.ts'
import type { Log } from '../log/log.ts'
import type { Door } from './door.ts'

/** What every door is opened with. */
export interface DoorDeps {
  readonly parts: Parts
  readonly config: LoadedConfig
  readonly log: Log
  /** The same for all listeners: callers on the owner socket need no key. */
  readonly authenticate: Authenticate
  readonly addressOf: ClientAddress
  /** Groups the connections of a client that has not shown a key; `undefined` for clients that are not counted. */
  clientOf(incoming: IncomingMessage): string | undefined
  readonly status: () => ServerStatus
  /** A link that signs a browser in, once. `undefined` when the server listens on no address. */
  signInLink(userId: UserId): Promise<SignInLink | undefined>
  /** An address that shows a session in a frame, once. `undefined` where sessions are not embedded. */
  embedLink(userId: UserId, sessionId: SessionId): Promise<SignInLink | undefined>
  /** Codes that show one card, once. */
  readonly cardCodes: ConsoleDeps['cardCodes']
  /** Every door of this server, this one too. Not to be called before all are open. */
  readonly doors: () => readonly Door[]
  /** Present in a process that gives the data directory up to a server that asks for it. */
  readonly handOver?: () => void
}

export type OpenDoor = (deps: DoorDeps) => Door

import type { Account } from './account.ts'

export interface World {
  readonly url: string
  readonly key: string
  /** The agent of new sessions. */
  readonly agent: string
  /** Where editors work. */
  readonly workDir: string
}

export interface Message {
  readonly text: string
  /** A PNG, in base64. */
  readonly image?: string
}

/** What a protocol may not carry. */
export type LimitName =
  | 'begin and answer turns'
  | 'live'
  | 'user messages, live'
  | 'answers to questions, live'
  | 'state, live'
  | 'state, when read'
  | 'token limit'
  | 'reasons of denials'
  | 'model'
  | 'changes of the model'
  | 'changes of the mode'
  | 'thinking'
  | 'changes of the thinking'
  | 'mode'
  | 'modes other than planning'

export interface Limit {
  readonly what: LimitName
  /** The rule of the contract that says so, such as `aap 69`. */
  readonly rule: string
}

/** What a scenario needs of a door. A new door joins with one file like those in `drivers`. */
export interface DoorDriver {
  readonly name: string
  readonly limits: readonly Limit[]
  connect(world: World): Promise<Door>
}

export interface Settings {
  readonly model?: string
  readonly mode?: string
  /** How much the model thinks. */
  readonly thinking?: string
}

/** One client connection. It reports only what arrived over the wire. */
export interface Door {
  /** A session in which `say ready` was answered. */
  create(): Promise<string>
  /** Follows a session from its beginning, and what happens from now on. */
  watch(sessionId: string): Promise<() => Account>
  /** Resolves when the server has taken the message. */
  send(sessionId: string, message: Message): Promise<void>
  /** Allows or denies a call that waits. */
  decide(sessionId: string, callId: string, isAllowed: boolean): Promise<void>
  /** Answers a question with one of its options. */
  choose(sessionId: string, callId: string, option: { readonly index: number; readonly label: string }): Promise<void>
  cancel(sessionId: string): Promise<void>
  /** The whole conversation, as a newly connected client reads it. */
  read(sessionId: string): Promise<Account>
  /** What the door reports about these now; absent where it does not. */
  settings(sessionId: string): Promise<Settings>
  change(sessionId: string, settings: Settings): Promise<void>
  close(): void
}

/** For what a driver lists among its limits. */
export const cannot = (): never => {
  throw new Error('this protocol cannot do this')
}

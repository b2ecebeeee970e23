// Carries frames between one editor and the current owner of the data directory. To the editor it is one agent that never
// goes away. When the owner does, open prompts are answered as `interrupted`, the owner's own requests are cancelled,
// all other requests go to the next owner, and the editor's sessions are resumed there. For that the relay keeps the last
// `initialize`, the open sessions, and the unanswered requests of both sides.
import { LineReader } from '@polylogue/kit/light'
import type { AcpProfile } from '../deps.ts'
import { isObject } from '../is-object.ts'
import { isAnswer, keyOf, parseFrame, rewriteFrame, writeFrame, type Frame, type FrameId } from './frame.ts'
import { answerInitialize, isPlainInitialize } from './initialize-answer.ts'
import { createOpenSessions } from './open-sessions.ts'

export interface Relay {
  /** One line from the editor. */
  fromEditor(line: Uint8Array): void
  /** The editor sends nothing more. */
  finish(): void
  /** Bytes of the owner. Whole lines leave at once; a partial line waits for its end. */
  fromBack(chunk: Uint8Array): void
  /**
   * Uses this owner from now on. Resolves when the owner has resumed the editor's sessions and was sent every held frame.
   * Rejects if the owner is lost before.
   */
  attach(back: BackEnd): Promise<void>
  /** The owner is gone. */
  lost(): void
  /** Resolves with true when an owner is needed, with false when the editor has left and nothing is open. */
  needsBack(): Promise<boolean>
  /** An owner is opened although no frame waits for one yet. */
  expectWork(): void
  /** The expected owner could not be opened. Returns whether a frame waits for it; if not, a later one may ask again. */
  missedBack(): boolean
  /** The first new session exists, so a `resume` of the handshake no longer applies. */
  readonly hasMadeSession: boolean
  /** The frames that wait for an owner take too much memory. */
  readonly isFull: boolean
  /** The editor has left, and no owner works for it. */
  readonly isOver: boolean
}

export interface BackEnd {
  send(bytes: Uint8Array): void
  end(): void
}

export interface RelayDeps {
  readonly profile: AcpProfile
  readonly version: string
  toEditor(bytes: Uint8Array): void
  /** Tells the operator, on stderr. */
  note(sentence: string): void
}

interface OpenRequest {
  readonly line: Uint8Array
  readonly frame: Frame & { readonly id: FrameId; readonly method: string }
}

/** Most frames of an owner begin like this and pass unparsed. The door writes these keys in this order. */
const UPDATE = Buffer.from('{"jsonrpc":"2.0","method":"session/update"')

/** Twice the largest frame. */
const MOST_HELD_BYTES = 64 * 1024 * 1024

/** Requests whose outcome is unknown once the owner is gone. */
const UNREPEATABLE = new Set(['session/prompt', 'session/load'])

/** A request of the owner to the editor that has no answer yet. */
interface AskedEditor {
  readonly shown: FrameId
  readonly own: FrameId
  readonly isWithdrawn?: true
}

export function createRelay({ profile, version, toEditor, note }: RelayDeps): Relay {
  let held: Uint8Array[] = []
  /** By key of the id. */
  const open = new Map<string, OpenRequest>()
  /** Open requests of the owner: the id that the editor sees, and the owner's own. */
  const asked = new Map<string, AskedEditor>()
  /** Cancelled requests of a former owner. Their answers are dropped. */
  const stale = new Set<string>()
  /** The relay's own requests to the owner. */
  const ours = new Map<string, Pick<PromiseWithResolvers<Frame>, 'resolve' | 'reject'>>()
  const sessions = createOpenSessions()
  const wanted = createWish()
  let lines = new LineReader()
  let initialize: Frame['params']
  let back: BackEnd | undefined
  let isReady = false
  let isFinishing = false
  let owners = 0
  let requests = 0

  const forward = (line: Uint8Array, frame: Frame | undefined): void => {
    if (frame !== undefined && isRequest(frame)) open.set(keyOf(frame.id), { line, frame })
    back?.send(line)
  }

  /** Rejects when the owner goes away. */
  const ask = (method: string, params: object): Promise<Frame> => {
    const id = `polylogue-relay-${++requests}`
    const { promise, resolve, reject } = Promise.withResolvers<Frame>()
    ours.set(keyOf(id), { resolve, reject })
    back?.send(writeFrame({ id, method, params: { ...params } }))
    return promise
  }

  /** Passes the editor's answer to the owner that asked. */
  const answerOwner = (line: Uint8Array, id: FrameId): void => {
    const key = keyOf(id)
    if (stale.delete(key)) return
    const question = asked.get(key)
    asked.delete(key)
    if (question === undefined || question.own === question.shown) back?.send(line)
    else back?.send(rewriteFrame(line, (frame) => ({ ...frame, id: question.own })))
  }

  /** The frame that the editor gets for a line of the owner. */
  const judge = (line: Uint8Array): Uint8Array | undefined => {
    if (UPDATE.equals(line.subarray(0, UPDATE.length))) return line
    const frame = parseFrame(line)
    if (frame === undefined) return line
    if (isAnswer(frame)) return judgeAnswer(line, frame, keyOf(frame.id))
    if (isRequest(frame)) return showRequest(line, frame.id)
    return frame.method === '$/cancel_request' ? showCancel(line, frame) : line
  }

  const judgeAnswer = (line: Uint8Array, frame: Frame, key: string): Uint8Array | undefined => {
    const own = ours.get(key)
    if (own !== undefined) {
      ours.delete(key)
      own.resolve(frame)
      return undefined
    }
    const request = open.get(key)
    open.delete(key)
    if (request === undefined) return line
    if (isLeaving(frame)) {
      // The owner is leaving. The next one gets the request.
      held.push(request.line)
      return undefined
    }
    if (frame.error === undefined) {
      if (request.frame.method === 'initialize') initialize = request.frame.params
      sessions.answered(request.frame, frame.result)
    }
    return line
  }

  /** A later owner counts its ids from the start again, while the editor may still be working on the same ids. */
  const showRequest = (line: Uint8Array, own: FrameId): Uint8Array => {
    const shown = owners === 1 ? own : `${owners}.${own}`
    asked.set(keyOf(shown), { shown, own })
    return shown === own ? line : rewriteFrame(line, (frame) => ({ ...frame, id: shown }))
  }

  const showCancel = (line: Uint8Array, { params }: Frame): Uint8Array => {
    const own = params?.['requestId']
    const question = [...asked.values()].find((candidate) => candidate.own === own)
    if (question === undefined) return line
    asked.set(keyOf(question.shown), { ...question, isWithdrawn: true })
    if (question.shown === own) return line
    return rewriteFrame(line, (frame) => ({ ...frame, params: { ...params, requestId: question.shown } }))
  }

  const resumeSessions = async (): Promise<void> => {
    const known = sessions.list()
    const answers = await Promise.all(known.map((params) => ask('session/resume', params)))
    for (const [index, answer] of answers.entries()) {
      const { sessionId = '' } = known[index] ?? {}
      if (answer.error === undefined) continue
      note(`The session ${sessionId} could not be resumed.`)
      sessions.forget(sessionId)
    }
  }

  const sendHeld = (): void => {
    const waiting = held
    held = []
    for (const line of waiting) forward(line, parseFrame(line))
  }

  return {
    fromEditor(line) {
      const frame = parseFrame(line)
      if (frame !== undefined && isAnswer(frame)) {
        answerOwner(line, frame.id)
      } else if (isReady) {
        forward(line, frame)
      } else if (back === undefined && held.length === 0 && frame !== undefined && isPlainInitialize(frame, profile)) {
        initialize = frame.params
        toEditor(
          writeFrame({ ...(frame.id !== undefined && { id: frame.id }), result: answerInitialize(profile, version) }),
        )
      } else {
        held.push(line)
        wanted.say(true)
      }
    },
    finish() {
      isFinishing = true
      if (isReady) back?.end()
      else if (back === undefined && held.length === 0) wanted.say(false)
    },
    fromBack(chunk) {
      const shown = [...lines.push(chunk)].map(judge).filter((line) => line !== undefined)
      const [only] = shown
      if (only !== undefined) toEditor(shown.length === 1 ? only : Buffer.concat(shown))
    },
    async attach(next) {
      back = next
      owners += 1
      wanted.forget()
      if (initialize !== undefined) await ask('initialize', initialize)
      await resumeSessions()
      if (back !== next) throw new Error('the owner went away')
      isReady = true
      sendHeld()
      if (isFinishing) next.end()
    },
    lost() {
      back = undefined
      isReady = false
      lines = new LineReader()
      const questions = [...asked.values()]
      asked.clear()
      for (const { shown, isWithdrawn } of questions) {
        stale.add(keyOf(shown))
        if (isWithdrawn) continue
        toEditor(writeFrame({ method: '$/cancel_request', params: { requestId: shown } }))
      }
      const requests = [...open.values()]
      open.clear()
      for (const { frame } of requests) if (UNREPEATABLE.has(frame.method)) toEditor(writeInterrupted(frame.id))
      const repeated = requests.filter(({ frame }) => !UNREPEATABLE.has(frame.method)).map(({ line }) => line)
      held = isFinishing ? [] : [...repeated, ...held]
      const unanswered = [...ours.values()]
      ours.clear()
      for (const { reject } of unanswered) reject(new Error('the owner went away'))
      if (isFinishing) wanted.say(false)
      else if (held.length > 0 || sessions.list().length > 0) wanted.say(true)
    },
    needsBack: () => wanted.said(),
    expectWork() {
      if (back === undefined && !isFinishing) wanted.say(true)
    },
    missedBack() {
      if (held.length > 0) return true
      wanted.forget()
      if (isFinishing) wanted.say(false)
      return false
    },
    get hasMadeSession() {
      return sessions.hasMadeOne
    },
    get isFull() {
      return !isReady && held.reduce((bytes, line) => bytes + line.length, 0) > MOST_HELD_BYTES
    },
    get isOver() {
      return isFinishing && back === undefined && held.length === 0
    },
  }
}

function isRequest(frame: Frame): frame is OpenRequest['frame'] {
  return frame.id !== undefined && frame.method !== undefined
}

/** The owner is handing over and refuses new work. */
function isLeaving({ error }: Frame): boolean {
  return isObject(error) && isObject(error['data']) && error['data']['reason'] === 'shutting_down'
}

function writeInterrupted(id: FrameId): Uint8Array {
  const message = 'Interrupted: the process that ran this request has ended.'
  return writeFrame({ id, error: { code: -32_603, message, data: { reason: 'interrupted' } } })
}

/** Yes, no, or not known yet. */
function createWish() {
  let wish = Promise.withResolvers<boolean>()
  return {
    say: (answer: boolean): void => wish.resolve(answer),
    said: (): Promise<boolean> => wish.promise,
    forget(): void {
      wish = Promise.withResolvers<boolean>()
    },
  }
}

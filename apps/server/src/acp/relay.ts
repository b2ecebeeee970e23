// Carries frames between one editor and whoever owns the data directory at the moment. To the editor it is one agent that
// never goes away. When the owner does, open prompts answer `interrupted`, what the owner had asked the editor is taken
// back, everything else is asked again of the next owner, and the editor's sessions are taken up there. So it remembers
// the last `initialize`, the sessions that are open, and the requests of both sides that have no answer yet.
import { isAnswer, isObject, keyOf, parseFrame, rewriteFrame, writeFrame, type Frame, type FrameId } from './frame.ts'
import type { AcpHandshake } from './handshake.ts'
import { answerInitialize, isPlainInitialize } from './initialize-answer.ts'
import { createLineCutter, type LineCutter } from './line-cutter.ts'
import { createOpenSessions } from './open-sessions.ts'

export interface Relay {
  /** One line from the editor. */
  fromEditor(line: Uint8Array): void
  /** The editor sends nothing more. */
  finish(): void
  /** Bytes of the owner. Whole lines leave at once; the rest waits for its end. */
  fromBack(chunk: Uint8Array): void
  /**
   * From now on this owner answers. Resolves when it knows the editor's sessions and has been sent all that waited.
   * Rejects when it is lost before.
   */
  attach(back: BackEnd): Promise<void>
  /** The owner is gone. */
  lost(): void
  /** Resolves with true as soon as somebody has to answer, with false when the editor has left and nothing is left to do. */
  needsBack(): Promise<boolean>
  /** A first new session was made: a wish to resume one has been granted, or cannot be any more. */
  readonly hasMadeSession: boolean
  /** More waits for an owner than should be in memory. */
  readonly isFull: boolean
  /** The editor has left, and nobody is at work for it. */
  readonly isOver: boolean
}

export interface BackEnd {
  send(bytes: Uint8Array): void
  end(): void
}

export interface RelayDeps {
  readonly profile: AcpHandshake['profile']
  readonly version: string
  toEditor(bytes: Uint8Array): void
  /** For whoever reads stderr. */
  note(sentence: string): void
}

interface OpenRequest {
  readonly line: Uint8Array
  readonly frame: Frame & { readonly id: FrameId; readonly method: string }
}

/** Nearly all that owners write, passed on unread. The door writes its frames with these keys in this order. */
const UPDATE = Buffer.from('{"jsonrpc":"2.0","method":"session/update"')

/** Twice the largest frame. */
const MOST_HELD_BYTES = 64 * 1024 * 1024

/** Once the owner is gone nobody can tell what had become of them. */
const UNREPEATABLE = new Set(['session/prompt', 'session/load'])

export function createRelay({ profile, version, toEditor, note }: RelayDeps): Relay {
  let held: Uint8Array[] = []
  /** By key of the id. */
  const open = new Map<string, OpenRequest>()
  /** Requests of the owner at the editor: the id there, and how the owner calls it. */
  const asked = new Map<string, { readonly shown: FrameId; readonly own: FrameId }>()
  /** Taken back; their answers mean nothing any more. */
  const stale = new Set<string>()
  /** Requests of our own at the owner. */
  const ours = new Map<string, Pick<PromiseWithResolvers<Frame>, 'resolve' | 'reject'>>()
  const sessions = createOpenSessions()
  const wanted = createWish()
  let lines: LineCutter = createLineCutter()
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

  /** The editor's own answer to something an owner had asked. */
  const answerOwner = (line: Uint8Array, id: FrameId): void => {
    const key = keyOf(id)
    if (stale.delete(key)) return
    const question = asked.get(key)
    asked.delete(key)
    if (question === undefined || question.own === question.shown) back?.send(line)
    else back?.send(rewriteFrame(line, (frame) => ({ ...frame, id: question.own })))
  }

  /** What the editor is to see of a line of the owner. */
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
      // It takes nothing on any more. The next owner will.
      held.push(request.line)
      return undefined
    }
    if (frame.error === undefined) {
      if (request.frame.method === 'initialize') initialize = request.frame.params
      sessions.answered(request.frame, frame.result)
    }
    return line
  }

  /** The ids of a later owner begin anew, while the editor may still be busy with those of an earlier one. */
  const showRequest = (line: Uint8Array, own: FrameId): Uint8Array => {
    const shown = owners === 1 ? own : `${owners}.${own}`
    asked.set(keyOf(shown), { shown, own })
    return shown === own ? line : rewriteFrame(line, (frame) => ({ ...frame, id: shown }))
  }

  const showCancel = (line: Uint8Array, { params }: Frame): Uint8Array => {
    const own = params?.['requestId']
    const question = [...asked.values()].find((candidate) => candidate.own === own)
    if (question === undefined || question.shown === own) return line
    return rewriteFrame(line, (frame) => ({ ...frame, params: { ...params, requestId: question.shown } }))
  }

  const takeUpSessions = async (): Promise<void> => {
    const known = sessions.list()
    const answers = await Promise.all(known.map((params) => ask('session/resume', params)))
    for (const [index, answer] of answers.entries()) {
      const { sessionId = '' } = known[index] ?? {}
      if (answer.error === undefined) continue
      note(`The session ${sessionId} could not be taken up again.`)
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
      const shown = lines
        .push(chunk)
        .map(judge)
        .filter((line) => line !== undefined)
      const [only] = shown
      if (only !== undefined) toEditor(shown.length === 1 ? only : Buffer.concat(shown))
    },
    async attach(next) {
      back = next
      owners += 1
      wanted.forget()
      if (initialize !== undefined) await ask('initialize', initialize)
      await takeUpSessions()
      if (back !== next) throw new Error('the owner went away')
      isReady = true
      sendHeld()
      if (isFinishing) next.end()
    },
    lost() {
      back = undefined
      isReady = false
      lines = createLineCutter()
      const questions = [...asked.values()]
      asked.clear()
      for (const { shown } of questions) {
        stale.add(keyOf(shown))
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

/** The owner is about to hand over, and refuses new work. */
function isLeaving({ error }: Frame): boolean {
  return isObject(error) && isObject(error['data']) && error['data']['reason'] === 'shutting_down'
}

function writeInterrupted(id: FrameId): Uint8Array {
  const message = 'Interrupted: the process that was at work has gone.'
  return writeFrame({ id, error: { code: -32_603, message, data: { reason: 'interrupted' } } })
}

/** Yes, no, or not said yet. */
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

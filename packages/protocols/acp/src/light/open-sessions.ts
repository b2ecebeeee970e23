import { isObject } from '../is-object.ts'
import type { Frame } from './frame.ts'

/** The parameters of `session/resume`. */
export interface SessionPlace {
  readonly sessionId: string
  readonly [name: string]: unknown
}

/** The sessions that an editor has open, learned from its requests and their answers. */
export interface OpenSessions {
  /** A request succeeded. */
  answered(request: Frame, result: unknown): void
  list(): readonly SessionPlace[]
  forget(sessionId: string): void
  readonly hasMadeOne: boolean
}

const PLACE = ['cwd', 'mcpServers', 'additionalDirectories']

export function createOpenSessions(): OpenSessions {
  const places = new Map<string, SessionPlace>()
  let hasMadeOne = false
  const keep = (sessionId: unknown, params: Frame['params'] = {}): void => {
    if (typeof sessionId !== 'string') return
    const place = Object.fromEntries(Object.entries(params).filter(([name]) => PLACE.includes(name)))
    places.set(sessionId, { sessionId, ...place })
  }
  return {
    answered({ method, params }, result) {
      const sessionId = params?.['sessionId']
      switch (method) {
        case 'session/new':
          hasMadeOne = true
          if (isObject(result)) keep(result['sessionId'], params)
          break
        case 'session/fork':
          if (isObject(result)) keep(result['sessionId'], params)
          break
        case 'session/load':
        case 'session/resume':
          keep(sessionId, params)
          break
        case 'session/close':
        case 'session/delete':
          if (typeof sessionId === 'string') places.delete(sessionId)
          break
        default:
      }
    },
    list: () => [...places.values()],
    forget: (sessionId) => void places.delete(sessionId),
    get hasMadeOne() {
      return hasMadeOne
    },
  }
}

/** The socket, kept open for as long as the page is: it comes back after every loss, and after the machine slept. */
import { BladeClient } from '@polylogue/client/blade'
import { io } from 'socket.io-client'
import { Refused, request } from './http.ts'

export type LinkState = 'connecting' | 'up' | 'down' | 'signed-out'

export interface Link {
  readonly client: BladeClient
  readonly state: LinkState
  /** Whether it was ever connected: then somebody was signed in. */
  readonly hasBeenUp: boolean
  open(): void
  close(): void
}

export interface LinkListener {
  changed(): void
  /** Connected, for the first time or again. */
  connected(): void
}

const FIRST_DELAY_MS = 300
const LONGEST_DELAY_MS = 5_000
const TICK_MS = 5_000
/** The server pings every 15 s. Longer silence after a wake-up means a dead socket that nobody has noticed. */
const SILENCE_MS = 20_000

export function createLink(listener: LinkListener): Link {
  const client = new BladeClient(io, {
    url: location.origin,
    transports: ['websocket'],
    resubscribes: false,
    folds: false,
  })
  const { socket } = client
  const manager = socket.io
  manager.reconnectionDelay(FIRST_DELAY_MS)
  manager.reconnectionDelayMax(LONGEST_DELAY_MS)
  let state: LinkState = 'connecting'
  let hasBeenUp = false
  let heardAt = Date.now()
  let tickAt = Date.now()

  const become = (next: LinkState): void => {
    if (state === next) return
    state = next
    listener.changed()
  }
  const hear = (): void => void (heardAt = Date.now())

  /** The socket was refused, not lost: either the sign-in is over, or the server is busy. */
  const askWhy = async (): Promise<void> => {
    try {
      await request('GET', '/api/polylogue/me')
      become('down')
      setTimeout(() => socket.connect(), LONGEST_DELAY_MS / 2)
    } catch (error) {
      if (error instanceof Refused && error.status === 401) return become('signed-out')
      become('down')
      setTimeout(() => socket.connect(), LONGEST_DELAY_MS)
    }
  }

  socket.on('connect', () => {
    hear()
    hasBeenUp = true
    become('up')
    listener.connected()
  })
  socket.on('disconnect', () => {
    become('down')
    if (!socket.active) void askWhy()
  })
  socket.on('connect_error', () => {
    if (state !== 'signed-out') become('down')
    if (!socket.active) void askWhy()
  })
  manager.on('ping', hear)
  socket.onAny(hear)

  const reopen = (): void => {
    if (state === 'signed-out' || state === 'connecting') return
    if (socket.connected && Date.now() - heardAt < SILENCE_MS) return
    socket.disconnect()
    socket.connect()
  }
  const wake = (): void => {
    if (document.visibilityState === 'visible') reopen()
  }
  const tick = (): void => {
    const now = Date.now()
    const slept = now - tickAt > 3 * TICK_MS
    tickAt = now
    if (slept || (socket.connected && now - heardAt > 2 * SILENCE_MS)) reopen()
  }

  return {
    client,
    get state() {
      return state
    },
    get hasBeenUp() {
      return hasBeenUp
    },
    open() {
      addEventListener('online', reopen)
      addEventListener('offline', () => become('down'))
      addEventListener('pageshow', wake)
      document.addEventListener('visibilitychange', wake)
      setInterval(tick, TICK_MS)
      socket.connect()
    },
    close: () => client.close(),
  }
}

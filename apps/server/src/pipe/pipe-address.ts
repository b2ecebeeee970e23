// How a process reaches a door over the owner socket: an HTTP upgrade, after which the socket carries the door's own bytes.

/** What the other process says of itself before its first byte. */
export const HANDSHAKE_HEADER = 'polylogue-handshake'

export const pipePathOf = (door: string): string => `/${door}`

export const pipeProtocolOf = (door: string): string => `polylogue-${door}`

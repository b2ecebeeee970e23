/** On the owner socket: asks a process that an editor started to release the data directory. */
export const HAND_OVER_PATH = '/api/polylogue/hand-over'

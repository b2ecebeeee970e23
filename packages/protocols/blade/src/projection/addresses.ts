/** The URL of an image of a session. */
export const imageAddress = (sessionId: string, hash: string): string =>
  `/api/sessions/${sessionId}/attachments/${encodeURIComponent(hash)}`

/** The URL of a file that was sent with a message. `path` is relative to the workspace. */
export const fileAddress = (sessionId: string, path: string): string =>
  `/api/sessions/${sessionId}/files/${path.split('/').map(encodeURIComponent).join('/')}`

/** In version 1, the settings of a session were top-level fields of `session.created`. */
export function upcastCreated(data: unknown): unknown {
  if (!isObject(data)) return data
  const { type, sessionId, userId, agent, ...settings } = data
  return { type, sessionId, userId, agent, settings }
}

/** In version 1, the data of `session.configured` were the changes themselves. */
export function upcastConfigured(data: unknown): unknown {
  if (!isObject(data)) return data
  const { type, ...settings } = data
  return { type, settings }
}

export const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'

/**
 * Tells the adapter that the response was written directly to the socket. Reading `statusText` turns the adapter's cached
 * response into a full one. Otherwise a middleware that sets headers makes Hono copy it, and the adapter writes the copy.
 */
export function alreadySent(): Response {
  const response = new Response(null, RESPONSE_ALREADY_SENT)
  void response.statusText
  return response
}

import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'

/**
 * Tells the adapter that the response was written straight to the socket. Reading `statusText` makes a full response
 * of the adapter's cached one: as soon as a middleware touches the headers, Hono copies the response, and the adapter
 * would write a cached copy out a second time.
 */
export function alreadySent(): Response {
  const response = new Response(null, RESPONSE_ALREADY_SENT)
  void response.statusText
  return response
}

/**
 * Tells the adapter that the response was written directly to the socket. Reading `statusText` turns the adapter's cached
 * response into a full one. Otherwise a middleware that sets headers makes Hono copy it, and the adapter writes the copy.
 */
export async function alreadySent(): Promise<Response> {
  // Only a program that has loaded the adapter comes here, and others must not wait for it.
  const { RESPONSE_ALREADY_SENT } = await import('@hono/node-server/utils/response')
  const response = new Response(null, RESPONSE_ALREADY_SENT)
  void response.statusText
  return response
}

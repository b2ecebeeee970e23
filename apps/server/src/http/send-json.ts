import type { ServerResponse } from 'node:http'

/** Answers before a route is chosen. */
export function sendJson(outgoing: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body)
  outgoing.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
  outgoing.end(text)
}

import type { JsonObject, ToolOutput } from '@polylogue/engine'
import { createInvocation } from '@polylogue/testkit'
import type { RequestListener } from 'node:http'
import { createWebFetchTool, type WebFetchOptions } from '../web-fetch-tool.ts'

export const toLoopback = async (): Promise<string[]> => ['127.0.0.1']

export const intranet = { allowHosts: ['.site.test'], resolve: toLoopback }

export async function fetchFrom(input: JsonObject, options: WebFetchOptions = intranet): Promise<ToolOutput> {
  const tool = createWebFetchTool(options)
  return tool.run(createInvocation(tool, input))
}

export function page(type: string, body: string | Buffer): RequestListener {
  return (_, response) => response.writeHead(200, { 'content-type': type }).end(body)
}

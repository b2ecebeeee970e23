import { z } from 'zod'
import type { ClientRequests } from './client-requests.ts'
import type { ClientReader, ClientWriter } from './editor-offers.ts'

/** After this time a tool uses the disk instead. */
const FILE_MS = 5_000

const readAnswer = z.object({ content: z.string() })

export function createClientReader(requests: ClientRequests): ClientReader {
  return {
    async read(path, signal) {
      const { content } = await requests.ask('fs/read_text_file', { path }, readAnswer, { ms: FILE_MS, signal })
      return content.toWellFormed()
    },
  }
}

export function createClientWriter(requests: ClientRequests): ClientWriter {
  return {
    async write(path, text, signal) {
      const params = { path, content: text }
      await requests.ask('fs/write_text_file', params, z.unknown(), { ms: FILE_MS, signal })
    },
  }
}

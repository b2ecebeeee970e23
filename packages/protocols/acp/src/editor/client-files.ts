import type { EditorReader, EditorWriter } from '@polylogue/engine'
import { z } from 'zod'
import { CODES, RpcError } from '../rpc/rpc-error.ts'
import type { ClientRequests } from './client-requests.ts'

/** After this time a tool uses the disk instead. */
const FILE_MS = 5_000

const readAnswer = z.object({ content: z.string() })

export function createClientReader(requests: ClientRequests): EditorReader {
  return {
    async read(path, signal) {
      const { content } = await requests.ask('fs/read_text_file', { path }, { answer: readAnswer, ms: FILE_MS, signal })
      return content.toWellFormed()
    },
  }
}

export function createClientWriter(requests: ClientRequests): EditorWriter {
  return {
    async write(path, text, signal) {
      const params = { path, content: text }
      try {
        await requests.ask('fs/write_text_file', params, { answer: z.unknown(), ms: FILE_MS, signal })
        return 'written'
      } catch (error) {
        if (error instanceof RpcError && error.code !== CODES.methodNotFound) return 'refused'
        throw error
      }
    },
  }
}

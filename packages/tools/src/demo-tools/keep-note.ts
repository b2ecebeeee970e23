import { requireGrant, type Clock, type Tool, type ToolOutput, type UserId } from '@polylogue/engine'
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'

const NAME = 'KeepNote'
const LARGEST_NOTEBOOK = 64 * 1024

const input = z.object({ text: z.string().trim().min(1).max(500).describe('One line, at most 500 characters') })

/** Every user has a file of notes in `notesDir`, a line for each note, never more than 64 KiB. */
export function createKeepNote({ clock, notesDir }: { readonly clock: Clock; readonly notesDir: string }): Tool {
  return defineTool({
    name: NAME,
    title: 'Keep a note',
    description: 'Adds a line to your file of notes on the server. It changes something.',
    input,
    // Not idempotent: a second run would add a second line.
    effect: 'unsafe',
    run: ({ input: { text }, userId, grant }) => {
      requireGrant(grant, NAME)
      const name = fileNameOf(userId)
      const number = keep(notesDir, name, `${new Date(clock.now()).toISOString()} ${toLine(text)}\n`)
      if (typeof number === 'number') return `Note ${number} is in ${basename(notesDir)}/${name}.`
      return { content: number.problem, isError: true } satisfies ToolOutput
    },
  })
}

type Kept = number | { readonly problem: string }

/** Synchronous, so that two concurrent calls cannot both use the remaining space. */
function keep(notesDir: string, name: string, line: string): Kept {
  try {
    mkdirSync(notesDir, { recursive: true, mode: 0o700 })
    const file = openSync(join(notesDir, name), 'a+', 0o600)
    try {
      const notes = readFileSync(file, 'utf8')
      if (Buffer.byteLength(notes + line) > LARGEST_NOTEBOOK) return { problem: `${name} is full; delete it to go on.` }
      writeSync(file, line)
      fsyncSync(file)
      return notes.split('\n').length
    } finally {
      closeSync(file)
    }
  } catch (error) {
    // The system's message would reveal the absolute path.
    if (error instanceof Error && 'code' in error) return { problem: `The note was not kept: ${String(error.code)}.` }
    throw error
  }
}

function fileNameOf(userId: UserId): string {
  return `${encodeURIComponent(userId)}.txt`
}

/** Without line breaks and terminal control characters. */
function toLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ')
}

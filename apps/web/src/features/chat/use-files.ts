import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { createMessageId } from '../../model/message-id.ts'
import type { SentFile } from '../../model/outbox.ts'
import { MOST_BYTES, readFile } from '../../model/read-files.ts'

/** A file that was chosen, dropped or pasted. */
export interface ChosenFile {
  readonly id: string
  readonly name: string
  readonly bytes: number
  /** How much of it was read, from 0 to 1. */
  readonly read: number
  /** Once it was read. */
  readonly file?: SentFile
  readonly problem?: string
}

export interface ChosenFiles {
  readonly chosen: readonly ChosenFile[]
  readonly ready: readonly SentFile[]
  readonly isReading: boolean
  add(files: FileList | null): void
  /** Files that were read before. */
  give(files: readonly SentFile[]): void
  remove(id: string): void
  clear(): void
}

export function useFiles(): ChosenFiles {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState<readonly ChosenFile[]>([])
  const change = (id: string, changes: Partial<ChosenFile>): void =>
    setChosen((before) => before.map((one) => (one.id === id ? { ...one, ...changes } : one)))
  const read = async (id: string, file: File): Promise<void> => {
    try {
      change(id, { file: await readFile(file, (part) => change(id, { read: part })), read: 1 })
    } catch (error) {
      change(id, { problem: error instanceof Error ? error.message : String(error) })
    }
  }
  return {
    chosen,
    ready: chosen.flatMap(({ file }) => file ?? []),
    isReading: chosen.some(({ file, problem }) => file === undefined && problem === undefined),
    add(files) {
      let room = MOST_BYTES
      for (const { bytes, problem } of chosen) if (problem === undefined) room -= bytes
      for (const file of files ?? []) {
        const { name, size: bytes } = file
        const id = createMessageId()
        const isTooLarge = bytes > room
        if (!isTooLarge) room -= bytes
        const problem = isTooLarge ? { problem: t('fileTooLarge') } : {}
        setChosen((before) => [...before, { id, name, bytes, read: 0, ...problem }])
        if (!isTooLarge) void read(id, file)
      }
    },
    give: (files) =>
      setChosen((before) => [
        ...before,
        ...files.map((file) => ({
          id: createMessageId(),
          name: file.name,
          bytes: (file.content.length / 4) * 3,
          read: 1,
          file,
        })),
      ]),
    remove: (id) => setChosen((before) => before.filter((one) => one.id !== id)),
    clear: () => setChosen([]),
  }
}

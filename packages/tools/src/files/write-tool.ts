import type { EditorOf, FileDiff, Tool } from '@polylogue/engine'
import { z } from 'zod'
import { askFor, pathInput } from './asked-path.ts'
import type { Spot } from './at-spot.ts'
import { permitOf, type Confiner } from './confines.ts'
import { basisOf, defineFileTool, diffOf, inspectPath } from './define-file-tool.ts'
import { editorFilesFor, editorFilesOf, readShown, shownText } from './editor-files.ts'
import { ABSENT, LARGEST_KEPT } from './file-trace.ts'
import { formatSize } from './format-size.ts'
import type { OneAtATime } from './one-at-a-time.ts'
import { replaceFile } from './replace-file.ts'
import type { FileText } from './text-file.ts'

const LARGEST_CONTENT = 4 * 1024 * 1024

const input = z.object({
  path: pathInput
    .refine((path) => !path.endsWith('/'), 'must name a file, not a directory')
    .describe('The file, absolute or relative to the working directory'),
  content: z.string().max(LARGEST_CONTENT).describe('All of the new content'),
})

export interface WritingToolOptions {
  readonly confiner: Confiner
  readonly oneAtATime: OneAtATime
  readonly editorOf: EditorOf | undefined
}

export function createWriteTool({ confiner, oneAtATime, editorOf }: WritingToolOptions): Tool {
  return defineFileTool({
    name: 'Write',
    title: 'Write',
    description:
      'Writes a whole file of the workspace, a new one or in place of the old one. Missing directories are made. ' +
      'To change a part of a file, use Edit.',
    input,
    effect: 'idempotent',
    kind: 'edit',
    nature: 'write-files',
    async inspect({ path, content }, workspace, from) {
      const asked = askFor(workspace, path)
      const { facts, seen } = await inspectPath(asked, {
        type: 'write-files',
        confine: (permit) => confiner.confine(workspace, permit),
        look: async (spot) => {
          const old = await shownText(spot, editorFilesFor(editorOf, workspace, from))
          return { diffs: diffAt(spot, { path: asked.absolute, newText: content }, old), before: basisOf(spot, old) }
        },
      })
      // If directories are missing, the file is new.
      const isNew = seen === undefined && facts.outside === undefined
      const diffs = seen?.diffs ?? (isNew ? diffOf({ path: asked.absolute, newText: content }) : [])
      const before = isNew ? ABSENT : seen?.before
      const preview = { title: `Write ${asked.shown}`, locations: [{ path: asked.absolute }], diffs }
      return { facts, preview, ...(before !== undefined && { before }) }
    },
    async run({ input: { path, content }, ...call }) {
      const { workspace, grant, signal } = call
      const asked = askFor(workspace, path)
      const confines = await confiner.confine(workspace, permitOf(grant))
      const bytes = Buffer.from(content)
      const editor = editorFilesOf(editorOf, call)
      const { change, blobs } = await oneAtATime.run(asked.absolute, async () => {
        signal.throwIfAborted()
        const viaEditor = (found: string) => editor.write(found, content.toWellFormed())
        const shown = (spot: Spot) => readShown(spot, editor, LARGEST_KEPT)
        return replaceFile(confines, { tool: 'Write', grant, asked, bytes, shown, viaEditor })
      })
      const words = change.change === 'created' ? 'Created' : 'Wrote'
      return {
        content: `${words} ${asked.shown} (${formatSize(bytes.length)}).`,
        changedFiles: [change],
        blobs,
      }
    },
  })
}

/** `old`: the text in the editor, or on the disk. */
function diffAt(spot: Spot, file: FileDiff, old: FileText | undefined): readonly FileDiff[] {
  if (spot.kind === 'directory') return []
  if (spot.kind === 'absent' && old === undefined) return diffOf(file)
  return old && !old.isDamaged ? diffOf({ ...file, oldText: old.text }) : []
}

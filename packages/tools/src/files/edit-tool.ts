import type { Tool } from '@polylogue/engine'
import { z } from 'zod'
import { askFor, pathInput, type AskedPath } from './asked-path.ts'
import { atSpot } from './at-spot.ts'
import { permitOf, type Confines } from './confines.ts'
import { defineFileTool, diffOf, inspectPath } from './define-file-tool.ts'
import { editorFilesFor, editorFilesOf, readUnsaved, shownText, type EditorFiles } from './editor-files.ts'
import { FileProblem } from './file-problem.ts'
import { formatSize } from './format-size.ts'
import { openConfined, readBytes, type FileBytes } from './read-regular-file.ts'
import { replaceFile } from './replace-file.ts'
import { replaceTexts, toCrLf, type TextChange } from './replace-text.ts'
import { showChanges } from './show-changes.ts'
import { decodeText, encodeText, toFileText, type FileText } from './text-file.ts'
import type { WritingToolOptions } from './write-tool.ts'

const LARGEST_FILE = 8 * 1024 * 1024
const LARGEST_TEXT = 1024 * 1024

const MOST_EDITS = 100

const oldText = z
  .string()
  .min(1)
  .max(LARGEST_TEXT)
  .describe('What to replace, exactly as it is in the file, without line numbers. It must be there exactly once')
const newText = z.string().max(LARGEST_TEXT).describe('What to put in its place')
const replaceAll = z.boolean().default(false).describe('Replace every place, however many there are')

const input = z
  .object({
    path: pathInput.describe('The file, absolute or relative to the working directory'),
    oldText: oldText.optional(),
    newText: newText.optional(),
    replaceAll,
    edits: z
      .array(
        z.object({ oldText: z.string().min(1).max(LARGEST_TEXT), newText: z.string().max(LARGEST_TEXT), replaceAll }),
      )
      .min(1)
      .max(MOST_EDITS)
      .optional()
      .describe(
        'Several replacements in the same file, instead of oldText and newText. Each applies to the result of the one before',
      ),
  })
  .superRefine((given, context) => {
    const problem = problemOf(given)
    if (problem !== undefined) context.addIssue({ code: 'custom', path: [problem.field], message: problem.message })
  })

interface GivenEdits {
  readonly oldText?: string | undefined
  readonly newText?: string | undefined
  readonly replaceAll: boolean
  readonly edits?: readonly TextChange[] | undefined
}

function problemOf({ oldText: old, newText: next, edits }: GivenEdits) {
  if (edits !== undefined) {
    const isBoth = old !== undefined || next !== undefined
    return isBoth ? { field: 'edits', message: 'give either edits, or oldText and newText' } : undefined
  }
  if (old === undefined) return { field: 'oldText', message: 'is missing' }
  return next === undefined ? { field: 'newText', message: 'is missing' } : undefined
}

function changesOf({
  oldText: old = '',
  newText: next = '',
  replaceAll: isAll,
  edits,
}: GivenEdits): readonly TextChange[] {
  return edits ?? [{ oldText: old, newText: next, replaceAll: isAll }]
}

export function createEditTool({ confiner, oneAtATime, editorOf }: WritingToolOptions): Tool {
  return defineFileTool({
    name: 'Edit',
    title: 'Edit',
    description:
      'Replaces a text in a file of the workspace, or several with edits: all of them or none. Each old text must match ' +
      'exactly, and exactly once unless replaceAll is set: give enough of what surrounds it. Line ends stay as they are.',
    input,
    // A second run would find a different text, or replace another occurrence.
    effect: 'unsafe',
    kind: 'edit',
    nature: 'write-files',
    async inspect({ path: given, ...edits }, workspace, from) {
      const asked = askFor(workspace, given)
      const changes = changesOf(edits)
      const { facts, seen: file } = await inspectPath(asked, {
        type: 'write-files',
        confine: (permit) => confiner.confine(workspace, permit),
        look: (spot) => shownText(spot, editorFilesFor(editorOf, workspace, from)),
      })
      const path = asked.absolute
      const shown = await showChanges(file, changes)
      const [first, ...others] = shown.flatMap(({ line }) => (line === undefined ? [] : [{ path, line }]))
      const locations = [first ?? { path }, ...others]
      const diffs = shown.flatMap(({ oldText: old, newText: next }) => diffOf({ path, oldText: old, newText: next }))
      return { facts, preview: { title: `Edit ${asked.shown}`, locations, diffs } }
    },
    async run({ input: { path, ...given }, ...call }) {
      const { workspace, grant, signal } = call
      const asked = askFor(workspace, path)
      const confines = await confiner.confine(workspace, permitOf(grant))
      const editor = editorFilesOf(editorOf, call)
      // Two concurrent edits of one file would start from the same text, and one would be lost.
      return oneAtATime.run(asked.absolute, async () => {
        signal.throwIfAborted()
        const { old, onDisk, madeFrom, shown } = await currentText(confines, asked, editor)
        const result = await replaceTexts(old, changesOf(given))
        if ('problem' in result) {
          const field = given.edits === undefined ? 'oldText' : `edits[${result.index}].oldText`
          throw new FileProblem('failed', `${field}: ${result.problem} ${asked.shown}`)
        }
        const { change, blobs } = await replaceFile(confines, {
          tool: 'Edit',
          grant,
          asked,
          bytes: onDisk === undefined ? encodeText(result.text, old) : encodeLike(onDisk, result.text),
          ...(madeFrom && { madeFrom }),
          shown: async () => shown,
          viaEditor: (found) => editor.write(found, encodeText(result.text, old).toString()),
        })
        const places = result.count === 1 ? '1 place' : `${result.count} places`
        return {
          content: `Edited ${asked.shown} in ${places}.`,
          // An unsaved file of the editor counts as changed.
          changedFiles: [{ ...change, change: 'modified' }],
          blobs,
        }
      })
    },
  })
}

interface CurrentText {
  /** The text to edit: from the editor, or from the disk. */
  readonly old: FileText
  /** Absent for a file that was never saved. */
  readonly onDisk?: FileText
  readonly madeFrom?: FileBytes['stats']
  /** Absent if the editor does not have it. */
  readonly shown?: string | undefined
}

async function currentText(confines: Confines, asked: AskedPath, editor: EditorFiles): Promise<CurrentText> {
  const unsaved = await atSpot(confines, asked, async (spot) =>
    spot.kind === 'absent' ? readUnsaved(editor, spot.path, LARGEST_FILE) : undefined,
  )
  if (unsaved !== undefined) return { old: toFileText(unsaved), shown: unsaved }
  const { path, ...file } = await openConfined(confines, asked, async (opened) => ({
    ...(await readBytes(opened, LARGEST_FILE)),
    path: opened.path,
  }))
  const onDisk = requireText(file, asked)
  const edited = await editor.read(path, LARGEST_FILE)
  return { old: edited === undefined ? onDisk : toFileText(edited), onDisk, madeFrom: file.stats, shown: edited }
}

/** Editors normalise line ends and restore them on save. */
function encodeLike(onDisk: FileText, text: string): Buffer {
  return encodeText(onDisk.usesCrLf ? toCrLf(text) : text, onDisk)
}

function requireText({ bytes, size }: FileBytes, { shown }: AskedPath): FileText {
  if (bytes.length < size)
    throw new FileProblem(
      'failed',
      `path: ${shown} has ${formatSize(size)}; Edit takes up to ${formatSize(LARGEST_FILE)}`,
    )
  const text = decodeText(bytes)
  if (!text) throw new FileProblem('failed', `path: ${shown} is a binary file`)
  if (text.isDamaged) throw new FileProblem('failed', `path: ${shown} is not UTF-8, and would not survive being edited`)
  return text
}

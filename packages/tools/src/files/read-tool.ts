import type { EditorOf, Tool, ToolOutput } from '@polylogue/engine'
import { z } from 'zod'
import { askFor, pathInput, type AskedPath } from './asked-path.ts'
import { atSpot, type Spot } from './at-spot.ts'
import { permitOf, type Confiner, type Confines } from './confines.ts'
import { defineFileTool, inspectPath } from './define-file-tool.ts'
import { editorFilesOf, readUnsaved, type EditorFiles } from './editor-files.ts'
import { FileProblem } from './file-problem.ts'
import { formatSize } from './format-size.ts'
import { imageTypeOf } from '../image-type.ts'
import { listDirectory } from './list-directory.ts'
import { numberLines, MOST_LINES } from './number-lines.ts'
import { openConfined, readBytes } from './read-regular-file.ts'
import { cutAtCharacter, decodeText, toFileText } from './text-file.ts'

const MOST_BYTES = 8 * 1024 * 1024
/** How every PDF begins. */
const PDF = '%PDF-'

const input = z.object({
  path: pathInput.describe('The file or directory, absolute or relative to the working directory'),
  offset: z
    .int()
    .min(0)
    .default(1)
    .transform((line) => Math.max(1, line))
    .describe('The first line to read, counted from 1'),
  limit: z.int().min(1).max(MOST_LINES).default(MOST_LINES).describe('How many lines to read'),
})

type Window = Omit<z.output<typeof input>, 'path'>

export interface ReadToolOptions {
  readonly confiner: Confiner
  readonly editorOf: EditorOf | undefined
}

export function createReadTool({ confiner, editorOf }: ReadToolOptions): Tool {
  return defineFileTool({
    name: 'Read',
    title: 'Read',
    description:
      'Reads a file of the workspace: text with line numbers, the text of a PDF or a Jupyter notebook, or an image to ' +
      'look at. Lists a directory. What is too long is cut, and says where to go on. The line numbers are not in the file.',
    input,
    effect: 'readonly',
    kind: 'read',
    async inspect({ path, offset }, workspace) {
      const asked = askFor(workspace, path)
      const location = { path: asked.absolute, ...(offset > 1 && { line: offset }) }
      const { facts } = await inspectPath(asked, {
        type: 'read-files',
        confine: (permit) => confiner.confine(workspace, permit),
      })
      return {
        facts,
        preview: { title: `Read ${asked.shown}`, locations: [location] },
      }
    },
    async run({ input: { path, ...window }, ...call }) {
      const { workspace, grant, signal } = call
      const asked = askFor(workspace, path)
      const confines = await confiner.confine(workspace, permitOf(grant))
      const editor = editorFilesOf(editorOf, call)
      const reading = { confines, asked, window, editor, signal }
      const other = await atSpot(confines, asked, (spot) => showIfNoFile(spot, reading))
      return other ?? readFile(reading)
    },
  })
}

interface Reading {
  readonly confines: Confines
  readonly asked: AskedPath
  readonly window: Window
  readonly editor: EditorFiles
  readonly signal: AbortSignal
}

/** Lists a directory. An unsaved new file exists only in the editor. */
async function showIfNoFile(spot: Spot, reading: Reading): Promise<ToolOutput | undefined> {
  if (spot.kind === 'directory') return { content: await listDirectory(spot.directory, reading.confines) }
  const text = spot.kind === 'absent' ? await readUnsaved(reading.editor, spot.path, MOST_BYTES) : undefined
  return text === undefined ? undefined : showText(toFileText(text).text, reading)
}

async function readFile(reading: Reading): Promise<ToolOutput> {
  const { confines, asked, editor } = reading
  const { shown } = asked
  const { bytes, size, path } = await openConfined(confines, asked, async (opened) => ({
    ...(await readBytes(opened, MOST_BYTES)),
    path: opened.path,
  }))
  const imageType = imageTypeOf(bytes)
  if (imageType !== undefined) return (await import('./show-image.ts')).showImage(bytes, imageType, { shown, size })
  if (bytes.toString('latin1', 0, PDF.length) === PDF) return showPdf(bytes, size, reading)
  const isCut = bytes.length < size
  const file = decodeText(isCut ? cutAtCharacter(bytes) : bytes)
  if (!file) return { content: `${shown} is a binary file of ${formatSize(size)}, which Read does not show.` }
  const notebook =
    shown.endsWith('.ipynb') && !isCut ? (await import('./notebook-text.ts')).readNotebook(file.text) : undefined
  if (notebook !== undefined) return showText(notebook, reading, { isCut: false, remarks: [NOTEBOOK] })
  // An editor does not have these as the same text.
  const isOdd = isCut || file.isDamaged
  const edited = isOdd ? undefined : await editor.read(path, MOST_BYTES)
  if (edited !== undefined) return showText(toFileText(edited).text, reading)
  const remarks = [
    ...(file.isDamaged ? ['It is not UTF-8: bytes that are no characters are shown as \uFFFD.'] : []),
    ...(isCut
      ? [`The file has ${formatSize(size)}; what comes after ${formatSize(MOST_BYTES)} cannot be read here.`]
      : []),
  ]
  return showText(file.text, reading, { isCut, remarks })
}

const NOTEBOOK = 'This is the notebook as text, so the line numbers are not those of the file.'

async function showPdf(bytes: Buffer, size: number, reading: Reading): Promise<ToolOutput> {
  const { shown } = reading.asked
  if (bytes.length < size)
    return { content: `${shown} is a PDF of ${formatSize(size)}; Read takes ${formatSize(MOST_BYTES)}.` }
  const { readPdfText } = await import('./pdf-text.ts')
  return showText(await readPdfText(bytes, reading), reading)
}

function showText(
  text: string,
  { asked, window }: Reading,
  { isCut, remarks }: { readonly isCut: boolean; readonly remarks: readonly string[] } = { isCut: false, remarks: [] },
): ToolOutput {
  const { shown } = asked
  if (text === '') return { content: `${shown} is empty.` }
  const { lines, notes } = numberLines(text, { ...window, isCut })
  if (lines.length === 0) throw new FileProblem('failed', `offset: ${shown} ${notes.join(' ')}`)
  return { content: [...lines, ...[...notes, ...remarks].map((note) => `[${note}]`)].join('\n') }
}

import type { EditorOf, Tool, ToolOutput } from '@polylogue/engine'
import { setImmediate as giveWay } from 'node:timers/promises'
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
import { createOneAtATime } from './one-at-a-time.ts'
import { openConfined, readBytes, type FileBytes } from './read-regular-file.ts'
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
  // An answer can have 500 calls. Each file is in memory as a whole, and each PDF takes a worker thread.
  const files = createOneAtATime()
  const pdfs = createOneAtATime()
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
      const { workspace, grant, signal, userId } = call
      const asked = askFor(workspace, path)
      const confines = await confiner.confine(workspace, permitOf(grant))
      const editor = editorFilesOf(editorOf, call)
      const reading = { confines, asked, window, editor, signal }
      const other = await atSpot(confines, asked, (spot) => showIfNoFile(spot, reading))
      if (other !== undefined) return other
      const seen = await files.run(userId, () => seeFile(reading))
      if (seen.type === 'output') return seen.output
      // Neither an editor nor a PDF lets other files wait.
      if (seen.type === 'pdf') return pdfs.run(userId, () => showPdf(reading))
      const edited = await editor.read(seen.path, MOST_BYTES)
      return edited === undefined ? seen.show() : showText(toFileText(edited).text, reading)
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

type SeenFile =
  | { readonly type: 'output'; readonly output: ToolOutput }
  | { readonly type: 'pdf' }
  /** A text that an editor may have as well, otherwise. */
  | { readonly type: 'text'; readonly path: string; show(): ToolOutput }

/** Gives way after the file, so many files are no long stop. */
async function seeFile(reading: Reading): Promise<SeenFile> {
  reading.signal.throwIfAborted()
  const seen = await see(reading)
  await giveWay()
  return seen
}

async function see(reading: Reading): Promise<SeenFile> {
  const { shown } = reading.asked
  const { bytes, size, path } = await readFile(reading)
  const imageType = imageTypeOf(bytes)
  if (imageType !== undefined)
    return asOutput((await import('./show-image.ts')).showImage(bytes, imageType, { shown, size }))
  if (bytes.toString('latin1', 0, PDF.length) === PDF) return { type: 'pdf' }
  const isCut = bytes.length < size
  const file = decodeText(isCut ? cutAtCharacter(bytes) : bytes)
  if (!file) return asOutput({ content: `${shown} is a binary file of ${formatSize(size)}, which Read does not show.` })
  const notebook =
    shown.endsWith('.ipynb') && !isCut ? (await import('./notebook-text.ts')).readNotebook(file.text) : undefined
  if (notebook !== undefined) return asOutput(showText(notebook, reading, { isCut: false, remarks: [NOTEBOOK] }))
  const remarks = [
    ...(file.isDamaged ? ['It is not UTF-8: bytes that are no characters are shown as \uFFFD.'] : []),
    ...(isCut
      ? [`The file has ${formatSize(size)}; what comes after ${formatSize(MOST_BYTES)} cannot be read here.`]
      : []),
  ]
  const show = (): ToolOutput => showText(file.text, reading, { isCut, remarks })
  // An editor does not have these as the same text.
  return isCut || file.isDamaged ? asOutput(show()) : { type: 'text', path, show }
}

const asOutput = (output: ToolOutput): SeenFile => ({ type: 'output', output })

const readFile = ({ confines, asked }: Reading): Promise<FileBytes & { readonly path: string }> =>
  openConfined(confines, asked, async (opened) => ({ ...(await readBytes(opened, MOST_BYTES)), path: opened.path }))

const NOTEBOOK = 'This is the notebook as text, so the line numbers are not those of the file.'

/** Reads the file again: PDFs that wait are not in memory. */
async function showPdf(reading: Reading): Promise<ToolOutput> {
  reading.signal.throwIfAborted()
  const { bytes, size } = await readFile(reading)
  if (bytes.length < size) {
    const { shown } = reading.asked
    return { content: `${shown} is a PDF of ${formatSize(size)}; Read takes ${formatSize(MOST_BYTES)}.` }
  }
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

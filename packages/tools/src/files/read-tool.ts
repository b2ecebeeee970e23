import type { Tool, ToolOutput } from '@polylogue/engine'
import { z } from 'zod'
import { askFor, pathInput, type AskedPath } from './asked-path.ts'
import { atSpot, type Spot } from './at-spot.ts'
import type { Confines, ProtectedPaths } from './confines.ts'
import { defineFileTool, inspectPath } from './define-file-tool.ts'
import { describeImage } from './describe-image.ts'
import { FileProblem } from './file-problem.ts'
import { formatSize } from './format-size.ts'
import { listDirectory } from './list-directory.ts'
import { numberLines, MOST_LINES } from './number-lines.ts'
import { openConfined, readBytes } from './read-regular-file.ts'
import { cutAtCharacter, decodeText } from './text-file.ts'

const MOST_BYTES = 8 * 1024 * 1024

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

export function createReadTool({ protectedPaths }: { readonly protectedPaths: ProtectedPaths }): Tool {
  return defineFileTool({
    name: 'Read',
    title: 'Read',
    description:
      'Reads a text file of the workspace, with line numbers, or lists a directory. ' +
      'What is too long is cut, and says where to go on. The line numbers are not part of the file.',
    input,
    effect: 'readonly',
    kind: 'read',
    async inspect({ path, offset }, workspace) {
      const asked = askFor(workspace, path)
      const location = { path: asked.absolute, ...(offset > 1 && { line: offset }) }
      const { facts } = await inspectPath(
        'read-files',
        asked,
        () => protectedPaths.confine(workspace),
        async () => {},
      )
      return {
        facts,
        preview: { title: `Read ${asked.shown}`, locations: [location] },
      }
    },
    async run({ input: { path, ...window }, workspace }) {
      const asked = askFor(workspace, path)
      const confines = await protectedPaths.confine(workspace)
      const listing = await atSpot(confines, asked, (spot) => listIfDirectory(spot, confines))
      return listing ?? readFile(confines, asked, window)
    },
  })
}

async function listIfDirectory(spot: Spot, confines: Confines): Promise<ToolOutput | undefined> {
  return spot.kind === 'directory' ? { content: await listDirectory(spot.directory, confines) } : undefined
}

async function readFile(confines: Confines, asked: AskedPath, { offset, limit }: Window): Promise<ToolOutput> {
  const { shown } = asked
  const { bytes, size } = await openConfined(confines, asked, (file) => readBytes(file, MOST_BYTES))
  if (bytes.length === 0) return { content: `${shown} is empty.` }
  const image = describeImage(bytes)
  if (image !== undefined) return { content: `${shown} is ${image} of ${formatSize(size)}. Read shows text only.` }
  const isCut = bytes.length < size
  const file = decodeText(isCut ? cutAtCharacter(bytes) : bytes)
  if (!file) return { content: `${shown} is a binary file of ${formatSize(size)}. Read shows text only.` }
  const { lines, notes } = numberLines(file.text, { offset, limit, isCut })
  if (lines.length === 0) throw new FileProblem('failed', `offset: ${shown} ${notes.join(' ')}`)
  if (file.isDamaged) notes.push('It is not UTF-8: bytes that are no characters are shown as \uFFFD.')
  if (isCut)
    notes.push(`The file has ${formatSize(size)}; what comes after ${formatSize(MOST_BYTES)} cannot be read here.`)
  return { content: [...lines, ...notes.map((note) => `[${note}]`)].join('\n') }
}

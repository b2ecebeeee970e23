import type {
  CallInspection,
  FileDiff,
  FileFacts,
  InspectedFrom,
  Tool,
  ToolInvocation,
  ToolOutput,
  Workspace,
} from '@polylogue/engine'
import type { z } from 'zod'
import { defineTool, type ToolDefinition, type ToolRun } from '../define-tool.ts'
import type { AskedPath } from './asked-path.ts'
import { atSpot, type Spot } from './at-spot.ts'
import type { Confines, GuardPermit } from './confines.ts'
import { FileProblem } from './file-problem.ts'
import { ABSENT, digestOf } from './file-trace.ts'
import { openFileIn, readBytes } from './read-regular-file.ts'
import { decodeText, type FileText } from './text-file.ts'

export type FileToolDefinition<Schema extends z.ZodType> = Omit<ToolDefinition<Schema>, 'inspect' | 'run'> & {
  inspect(input: z.output<Schema>, workspace: Workspace, from?: InspectedFrom): Promise<CallInspection>
  run(call: ToolRun<z.output<Schema>>): Promise<ToolOutput>
}

/** A tool that returns the engine's own output type, including the changed files. */
export function defineFileTool<Schema extends z.ZodType>(definition: FileToolDefinition<Schema>): Tool {
  return Object.assign(defineTool(definition), {
    async run({ input, ...call }: ToolInvocation) {
      call.signal.throwIfAborted()
      // The engine hands back what `check` made of the input.
      return definition.run({ ...call, input: input as z.output<Schema> })
    },
  })
}

export interface PathInspection<Seen> {
  readonly facts: FileFacts
  /** The result of `look`, if the walk reached the place. */
  readonly seen?: Seen
}

interface Inspecting<Seen> {
  readonly type: 'read-files' | 'write-files'
  confine(permit: GuardPermit): Promise<Confines>
  /** Looks at the file, for the preview. */
  look?(spot: Spot): Promise<Seen>
}

/**
 * Inspects a path before the call runs. Only the judgement depends on it: the call checks the path again. A missing
 * file is not refused here, because the call reports it. Never rejects.
 */
export async function inspectPath<Seen = void>(
  asked: AskedPath,
  { type, confine, look }: Inspecting<Seen>,
): Promise<PathInspection<Seen>> {
  const guarded = new Set<string>()
  const note: GuardPermit = (path) => Boolean(guarded.add(path))
  const factsWith = (outside?: string) => ({
    type,
    ...(outside !== undefined && { outside }),
    ...(guarded.size > 0 && { guarded: [...guarded] }),
  })
  try {
    const confines = await confine(note)
    const isForWriting = type === 'write-files'
    const seen = await atSpot(confines, { ...asked, isForWriting }, async (spot) => look?.(spot))
    return { facts: factsWith(), seen }
  } catch (error) {
    // Refuse what we do not understand.
    const isHarmless = error instanceof FileProblem && error.kind === 'failed'
    return { facts: factsWith(isHarmless ? undefined : asked.absolute) }
  }
}

/** A digest of what a change starts from. `text`: as the editor or the disk has it, if it was short enough to be shown. */
export function basisOf(spot: Spot, text: FileText | undefined): string | undefined {
  if (text !== undefined) return digestOf(Buffer.from(text.text))
  if (spot.kind === 'absent') return ABSENT
  return spot.kind === 'file' ? `${spot.stats.ino}:${spot.stats.size}:${spot.stats.mtimeNs}` : undefined
}

const LARGEST_TEXT = 256 * 1024

/** Absent if a text is too long to be recorded with the call. */
export function diffOf({ path, oldText, newText }: FileDiff): readonly FileDiff[] {
  const isShort = [oldText ?? '', newText].every((text) => Buffer.byteLength(text) <= LARGEST_TEXT)
  return isShort ? [{ path, ...(oldText !== undefined && { oldText }), newText }] : []
}

/** The text of a file that is short enough for a diff. */
export async function textAt(spot: Spot): Promise<FileText | undefined> {
  if (spot.kind !== 'file' || spot.stats.size > LARGEST_TEXT) return undefined
  const { bytes } = await openFileIn(spot.directory, spot.name, (file) => readBytes(file, LARGEST_TEXT))
  return decodeText(bytes)
}

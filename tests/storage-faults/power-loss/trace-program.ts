import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { requireTool } from '../../house/require-tool.ts'
import type { FileOperation } from './file-operation.ts'
import { TRACED_CALLS, parseTrace } from './parse-trace.ts'

const run = promisify(execFile)

// Larger than any single write of SQLite. The parser refuses a cut string, because it would be a hole in the replay.
const LONGEST_STRING = 1024 * 1024

/**
 * Runs a program of `programs/` on a database in a fresh directory, `<directory>/polylogue.db`, and returns all file
 * operations of its main thread there. SQLite uses only that thread, so no operation is missing and the order is exact.
 */
export async function traceProgram(name: string, args: readonly string[]): Promise<readonly FileOperation[]> {
  const strace = requireTool('strace', 'strace')
  const directory = await mkdtemp(join(tmpdir(), 'polylogue-trace-'))
  try {
    const trace = join(directory, 'trace')
    const stage = await mkdtemp(join(directory, 'stage-'))
    const program = fileURLToPath(new URL(`../programs/${name}.ts`, import.meta.url))
    const flags = [
      '-qq',
      '-y',
      '-xx',
      '-s',
      String(LONGEST_STRING),
      '-e',
      `trace=${TRACED_CALLS.join(',')}`,
      '-o',
      trace,
    ]
    await run(strace, [...flags, process.execPath, program, join(stage, 'polylogue.db'), ...args])
    return parseTrace(await readFile(trace, 'latin1'), stage).map(asIndexWrite)
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** The program reports what it wrote through memory, which is never synced. */
function asIndexWrite(operation: FileOperation): FileOperation {
  const [, hex] = operation.type === 'say' ? (/^index ([0-9a-f]+)$/.exec(operation.line) ?? []) : []
  if (hex === undefined) return operation
  return { type: 'write', name: 'polylogue.db-shm', offset: 0, bytes: Buffer.from(hex, 'hex') }
}

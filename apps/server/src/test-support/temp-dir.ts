import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Removed when the test ends. */
export function makeTempDir(): string {
  const path = mkdtempSync(join(tmpdir(), 'polylogue-server-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }))
  return path
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TREE_SHAPES } from '../bash/tree-shapes.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { cancelTrees } from './cancel-storm.ts'
import { writeConfig } from './write-config.ts'

const STORMS = [
  { sandbox: 'none', cancels: 60 },
  { sandbox: 'auto', cancels: 40 },
] as const

describe.each(STORMS)('a cancel storm, sandbox $sandbox', ({ sandbox, cancels }) => {
  let dir: TempDir
  let server: ServerProcess
  beforeAll(async () => {
    dir = await createTempDir()
    const startDir = await writeConfig(dir, { bash: { sandbox } })
    server = await startServerProcess({ dataDir: `${dir.path}/data`, startDir })
  })
  afterAll(async () => {
    await server.stop()
    await dir.remove()
  })

  it(`F12: ${cancels} cancels over all shapes of process trees leave nobody, and nobody writes after the end`, async () => {
    const { complaints, perShape, visibleMs } = await cancelTrees({ server, cancels, beside: 6 })
    expect(complaints).toEqual([])
    expect(Object.keys(perShape).toSorted()).toEqual(Object.keys(TREE_SHAPES).toSorted())
    expect(visibleMs).toHaveLength(cancels)
  }, 60_000)
})

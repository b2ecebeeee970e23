import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that run for a minute or so. Started last, one of them would run on alone. */
const LONGEST = [
  'tests/crash/crash.test.ts',
  'tests/bad-input/inputs.test.ts',
  'tests/lasting/restarts.test.ts',
  'tests/storage-faults/power-loss/power-loss.test.ts',
  'tests/edges/connections.test.ts',
]

/** Runs the long files first, also in a fresh checkout, where vitest does not know them yet. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST.indexOf(relative(this.ctx.config.root, moduleId))
      return index === -1 ? LONGEST.length : index
    }
    return (await super.sort(files)).sort((one, other) => rankOf(one) - rankOf(other))
  }
}

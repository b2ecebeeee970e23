import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that run for half a minute or longer. Started last, one of them would run on alone. */
const LONGEST = [
  'tests/crash/crash.test.ts',
  'tests/cli/run.test.ts',
  'tests/cluster/doors.postgres.test.ts',
  'tests/install/installed.test.ts',
  'tests/first-run/without-a-key.test.ts',
  'tests/check/check.test.ts',
  'tests/bad-input/inputs.test.ts',
  'packages/stores/postgres/src/postgres-stores.postgres.test.ts',
  'tests/storage-faults/power-loss/power-loss.test.ts',
  'tests/storage-faults/upgrade/upgrade.test.ts',
  'tests/cli/beside-a-server.test.ts',
  'tests/acp/process.test.ts',
  'tests/cli/keys-and-sessions.test.ts',
  'tests/aap/crash.test.ts',
  'tests/cli/serve.test.ts',
  'tests/acp/owners.test.ts',
  'tests/aap/stream-pressure.test.ts',
  'tests/bad-input/start/start.test.ts',
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

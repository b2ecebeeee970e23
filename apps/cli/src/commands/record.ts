import { ExitCode } from '../exit-code.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { createTerminal } from '../terminal.ts'
import { withOwner } from '../with-owner.ts'

export interface RecordFlags extends OwnerFlags {
  readonly off?: boolean
}

export function recordSession(id: string, { off = false, ...flags }: RecordFlags): Promise<number> {
  return withOwner(flags, async ({ console }) => {
    const { on } = await console.changeRecording({ id, body: { on: !off } })
    const { stderr } = createTerminal(process)
    stderr.write(
      on
        ? 'Requests to models and their answers are now kept with this session. They count as its data.\n'
        : 'Nothing more is kept. What was kept is deleted with the session.\n',
    )
    return ExitCode.done
  })
}

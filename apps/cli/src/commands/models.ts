import { ExitCode } from '../exit-code.ts'
import { formatModels, modelNotes } from '../model-table.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { createTerminal } from '../terminal.ts'
import { withOwner } from '../with-owner.ts'

export interface ModelsFlags extends OwnerFlags {
  readonly json?: boolean
}

/** Lists the models of the running server, or of one that would start here. */
export function listModels(text: string | undefined, { json, ...flags }: ModelsFlags): Promise<number> {
  return withOwner(flags, async ({ console }) => {
    const answer = await console.listModels()
    const wanted = text?.toLowerCase() ?? ''
    const models = answer.models.filter(({ name, title }) => `${name} ${title}`.toLowerCase().includes(wanted))
    const { stdout, stderr } = createTerminal(process)
    if (json) {
      stdout.write(`${JSON.stringify({ ...answer, models })}\n`)
      return ExitCode.done
    }
    if (models.length > 0) stdout.write(formatModels(models))
    else
      stderr.write(text === undefined ? 'No model can be used.\n' : 'No model that you can use has that in its name.\n')
    for (const note of modelNotes(answer)) stderr.write(`${note}\n`)
    return ExitCode.done
  })
}

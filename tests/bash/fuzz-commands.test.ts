import { expect, it } from 'vitest'
import { fuzzCommands } from './fuzz-commands.ts'
import { AWKWARD_COMMANDS, findChanged } from './record-arguments.ts'

it('C16: of 2,000 commands the shown, hashed and executed bytes are one, and doubt never means yes', async () => {
  const { complaints } = await fuzzCommands({ seed: 20_261_115, commands: 2000, parsedByBash: 100, recorded: 30 })
  expect(complaints).toEqual([])
})

it('C16: nothing is trimmed, split or taken for an option', async () => {
  expect(await findChanged(AWKWARD_COMMANDS)).toEqual([])
})

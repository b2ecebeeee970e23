import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('../../../polylogue', import.meta.url))
const IS_CHECKOUT = existsSync(SCRIPT)

/** The file that starts this program: the script of the checkout, or the one of the installed package. */
export const PROGRAM = IS_CHECKOUT ? SCRIPT : fileURLToPath(new URL('../polylogue.cjs', import.meta.url))

/** How another program starts this one. The place of an installed package changes with its version; npx finds it. */
export const START_COMMAND = IS_CHECKOUT ? ([SCRIPT] as const) : (['npx', '-y', 'polylogue'] as const)

// Changes sources while they are loaded: `node --import plant-regression.ts`, with the edits as JSON in PLANTED_EDITS.
import { registerHooks } from 'node:module'
import { applyEdit, type Edit } from '../mutants/mutant.ts'

const edits = JSON.parse(process.env['PLANTED_EDITS'] ?? '[]') as readonly Edit[]

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const mine = edits.filter(({ file }) => url.endsWith(`/${file}`))
    if (mine.length === 0) return loaded
    const { source = '' } = loaded
    const text = typeof source === 'string' ? source : new TextDecoder().decode(source ?? undefined)
    return { ...loaded, source: mine.reduce((planted, edit) => applyEdit(planted, edit), text) }
  },
})

// The only way to our own protocol: its schemas must not be made before evaluation is switched off.
import './no-eval.ts'
export { createConsoleClient, createFetchTransport, spellOut, spellOutLine } from '@polylogue/client/console'

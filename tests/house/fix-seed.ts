// Before each test file: properties make the same choices in every `npm test`, so that what fails fails for everybody.
// `POLYLOGUE_SEED=word` makes other choices; `npm run proof` does that with the seed of the run, where somebody looks.
import fc from 'fast-check'
import { seedNumber } from './seed-number.ts'

const USUAL = 'polylogue'

const { POLYLOGUE_SEED: chosen, POLYLOGUE_PROOF_SEED: ofTheProof } = process.env
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: seedNumber(chosen ?? ofTheProof ?? USUAL) })

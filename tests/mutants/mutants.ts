import type { Mutant } from './mutant.ts'
import { ENGINE_MUTANTS } from './engine-mutants.ts'
import { SECURITY_MUTANTS } from './security-mutants.ts'
import { STORE_MUTANTS } from './store-mutants.ts'
import { STREAM_MUTANTS } from './stream-mutants.ts'

export const MUTANTS: readonly Mutant[] = [...STORE_MUTANTS, ...ENGINE_MUTANTS, ...STREAM_MUTANTS, ...SECURITY_MUTANTS]

import { it } from 'vitest'
import { type KillPlan, proveEveryPoint, proveRandomMoments } from './prove-kills.ts'

const PLAN: KillPlan = { store: 'sqlite', scriptMs: 700, lanes: 3 }

it('F1: a server is killed at every hit of every failpoint', () => proveEveryPoint(PLAN))

it('F1: a server is killed at any moment', () => proveRandomMoments(PLAN))

import type { KillPlan } from '../../proof/prove-kills.ts'

/** A new node waits five seconds before it takes turns from a dead one, so many cycles run at the same time. */
export const KILLS_ON_POSTGRES: KillPlan = { store: 'postgres', scriptMs: 900, lanes: 8 }

import { it } from 'vitest'
import { proveRecoveries } from './prove-kills.ts'

it('F3: a server is killed while it recovers, some twice', () =>
  proveRecoveries({ store: 'sqlite', scriptMs: 700, lanes: 3 }))

import { it } from 'vitest'
import { proveRunners } from './prove-runners.ts'

it('cluster 35: runner: a node is killed while it serves turns of every door that another one runs', () =>
  proveRunners('runner', 'kill-web'))

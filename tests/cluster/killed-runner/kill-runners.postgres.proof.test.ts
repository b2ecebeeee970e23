import { it } from 'vitest'
import { proveRunners } from './prove-runners.ts'

it('cluster 34, 35: runner: a node is killed while it runs turns of every door', () => proveRunners('runner', 'kill'))

it('cluster 35: runner: a node is killed while it serves turns of every door that another one runs', () =>
  proveRunners('runner', 'kill-web'))

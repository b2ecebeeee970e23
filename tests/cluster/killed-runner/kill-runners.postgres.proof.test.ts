import { it } from 'vitest'
import { proveRunners } from './prove-runners.ts'

it('cluster 34, 35: runner: a node is killed while it runs turns of every door', () => proveRunners('runner', 'kill'))

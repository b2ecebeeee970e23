import { it } from 'vitest'
import { proveRunners } from './prove-runners.ts'

it('cluster 36, 42: F14: a node is frozen while it runs turns of every door', () => proveRunners('F14', 'freeze'))

// The probe in a process of its own: whoever makes a million brackets cannot look at the clock meanwhile, and the server
// would be blamed for it.
import { probe, type Probed } from './probe.ts'

process.on('message', (message) => {
  const { id, target } = message as { readonly id: number; readonly target: Probed }
  void probe(target).then((round) => process.send?.({ id, round }))
})
process.on('disconnect', () => process.exit())

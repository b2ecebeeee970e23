import { toOwnerOptions, type OwnerFlags } from './owner-flags.ts'
import { openOwnerLink, type OwnerLink } from './owner-link.ts'

/** Works with whoever owns the data directory, and lets go of it whatever happens. */
export async function withOwner<T>(flags: OwnerFlags, work: (link: OwnerLink) => Promise<T>): Promise<T> {
  const link = await openOwnerLink(toOwnerOptions(flags))
  try {
    return await work(link)
  } finally {
    await link.close()
  }
}

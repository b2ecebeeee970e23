import type { KeyRecord } from '@polylogue/engine'
import { isEmbedHost } from './embed-cookie.ts'

/** A user may sign in any number of times; the sign-ins that were used longest ago end. Viewers of embedded pages are counted apart. */
const MOST_BROWSERS = 100
const MOST_EMBEDDED = 1_000

/** The sign-ins of a user that end because of a new one: those that have expired, and what is beyond the limit. */
export function findSurplus(
  records: readonly KeyRecord[],
  made: KeyRecord,
  isLive: (record: KeyRecord) => boolean,
): readonly KeyRecord[] {
  const isEmbedded = isEmbedHost(made.prefix)
  const others = records.filter(({ id, kind }) => kind === 'browser' && id !== made.id)
  const rivals = others
    .filter((record) => isLive(record) && isEmbedHost(record.prefix) === isEmbedded)
    .toSorted((left, right) => lastUse(right) - lastUse(left))
  const expired = others.filter((record) => !isLive(record))
  return [...expired, ...rivals.slice((isEmbedded ? MOST_EMBEDDED : MOST_BROWSERS) - 1)]
}

const lastUse = ({ lastUsedAt, createdAt }: KeyRecord): number => lastUsedAt ?? createdAt

import type { Rule } from '@polylogue/client/console'

/** A rule in one line: its tool, the patterns of its arguments and its hosts, or what a kept answer covers. */
export function describeRule({ tool, args = {}, domain, kept }: Omit<Rule, 'action'>): string {
  if (kept !== undefined) return `${kept.label}: ${kept.project}`
  const patterns = Object.entries(args).map(([name, pattern]) => `${name}=${pattern}`)
  const hosts = [
    ...(domain?.allowlist === undefined ? [] : [`host=${domain.allowlist.join(',')}`]),
    ...(domain?.blocklist === undefined ? [] : [`host≠${domain.blocklist.join(',')}`]),
  ]
  return [tool, ...patterns, ...hosts].join('  ')
}

/** Whether the form for rules has room for it: one argument and no hosts. */
export const isSimpleRule = ({ args = {}, domain, kept }: Omit<Rule, 'action'>): boolean =>
  domain === undefined && kept === undefined && Object.keys(args).length <= 1

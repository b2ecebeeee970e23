/** Cities that many ask for and that no time zone is named after. */
const OTHER_NAMES: readonly (readonly [RegExp, string])[] = [
  [/\b(beijing|china)\b|北京|上海|中国/i, 'Asia/Shanghai'],
  [/东京|日本/, 'Asia/Tokyo'],
  [/伦敦|英国/, 'Europe/London'],
  [/巴黎|法国/, 'Europe/Paris'],
  [/柏林|德国/, 'Europe/Berlin'],
  [/纽约/, 'America/New_York'],
  [/\b(san francisco|seattle|california)\b|旧金山|洛杉矶/i, 'America/Los_Angeles'],
]

/** The time zone that a text speaks of, by its name or its city. */
export function findTimeZone(text: string): string | undefined {
  const known = OTHER_NAMES.find(([names]) => names.test(text))
  if (known) return known[1]
  const words = ` ${text.toLowerCase().replaceAll(/[^\p{L}/_+-]+|_/gu, ' ')} `
  return Intl.supportedValuesOf('timeZone').find((zone) => {
    const name = zone.toLowerCase().replaceAll('_', ' ')
    return words.includes(` ${name} `) || words.includes(` ${name.slice(name.lastIndexOf('/') + 1)} `)
  })
}

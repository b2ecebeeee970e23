/**
 * Removes secrets from text: values that it has learned, and text that looks like a secret. It runs at the sink, so callers
 * cannot forget it.
 */
export interface Redactor {
  redact(text: string): string
  /** Kept for the life of the process: our keys, keys of providers, secret options. */
  learn(secret: string | undefined): void
  /** Kept for a while: values from strangers, who could otherwise displace the others. */
  learnPassing(secret: string | undefined): void
}

export const REDACTED = '***'

/** Shorter values may be ordinary words, which must stay in the log. */
const SHORTEST = 8
const MOST_LASTING = 20_000
const MOST_PASSING = 1_000

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer)(\s+|%20|\+)[A-Za-z0-9._~+/=-]{4,}/gi, `$1$2${REDACTED}`],
  [/\b(basic)(\s+|%20|\+)[A-Za-z0-9+/=]{8,}/gi, `$1$2${REDACTED}`],
  // Ours, OpenAI's and Anthropic's; then Google, GitHub, Slack, AWS and JSON Web Tokens.
  [/\bsk-[A-Za-z0-9_-]{6,}/g, REDACTED],
  [/\bAIza[A-Za-z0-9_-]{20,}/g, REDACTED],
  [/\b(?:gh[pousr]_|github_pat_|xox[a-z]-|AKIA)[A-Za-z0-9_-]{10,}/g, REDACTED],
  [
    /(?<![A-Za-z0-9_-])((?:(?!-eyJ)[A-Za-z0-9_-])*-)?eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*/g,
    `$1${REDACTED}`,
  ],
  [/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@"']{1,500}@/gi, `$1${REDACTED}@`],
  [
    /([?&#;]|%3F|%26|%23)([\w.-]{0,40}(?:key|token|secret|password|passwd|signature|sig|code|auth|credential))(=|%3D)[^\s&#"'\\]+/gi,
    `$1$2$3${REDACTED}`,
  ],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----(?:(?!-----END)[^])*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g, REDACTED],
]

/** A quick test: every text that a pattern matches contains one of these. */
const HINT = /bearer|basic|sk-|AIza|gh[pousr]_|github_pat_|xox[a-z]-|AKIA|eyJ|:\/\/|=|%3D|PRIVATE KEY/i

export function createRedactor(): Redactor {
  const lasting = createSecretSet(MOST_LASTING)
  const passing = createSecretSet(MOST_PASSING)
  return {
    redact(text) {
      if (text.length < SHORTEST) return text
      const known = passing.redact(lasting.redact(text))
      return !HINT.test(known)
        ? known
        : PATTERNS.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), known)
    },
    learn: (secret) => lasting.add(secret),
    learnPassing: (secret) => passing.add(secret),
  }
}

interface SecretSet {
  add(secret: string | undefined): void
  redact(text: string): string
}

/**
 * Secrets by their first eight characters. One lookup per position finds any number of secrets. Most positions fail on the
 * first two characters, without slicing the text. Every log line passes here.
 */
function createSecretSet(most: number): SecretSet {
  const known = new Set<string>()
  const spellings = new Map<string, string[]>()
  /** The number of secrets by their first two characters. */
  const beginnings = new Uint32Array(BEGINNINGS)
  const countBeginning = (start: string, by: number): void => {
    const place = beginningAt(start, 0)
    beginnings[place] = (beginnings[place] ?? 0) + by
  }
  const forget = (secret: string): void => {
    known.delete(secret)
    for (const spelling of spellingsOf(secret)) {
      const start = spelling.slice(0, SHORTEST)
      const rest = spellings.get(start)?.filter((other) => other !== spelling) ?? []
      if (rest.length > 0) spellings.set(start, rest)
      else if (spellings.delete(start)) countBeginning(start, -1)
    }
  }
  return {
    add(secret) {
      if (secret === undefined || secret.length < SHORTEST || known.has(secret)) return
      known.add(secret)
      for (const spelling of spellingsOf(secret)) {
        const start = spelling.slice(0, SHORTEST)
        if (!spellings.has(start)) countBeginning(start, 1)
        spellings.set(start, [...(spellings.get(start) ?? []), spelling])
      }
      const [oldest] = known
      if (known.size > most && oldest !== undefined) forget(oldest)
    },
    redact(text) {
      if (known.size === 0) return text
      let result = ''
      let copied = 0
      for (let at = 0; at + SHORTEST <= text.length; at++) {
        if (beginnings[beginningAt(text, at)] === 0) continue
        const candidates = spellings.get(text.slice(at, at + SHORTEST))
        const found = candidates?.filter((secret) => text.startsWith(secret, at)).sort((a, b) => b.length - a.length)[0]
        if (found === undefined) continue
        result += text.slice(copied, at) + REDACTED
        copied = at + found.length
        at = copied - 1
      }
      return result + text.slice(copied)
    },
  }
}

const BEGINNINGS = 4096

function beginningAt(text: string, at: number): number {
  return (text.charCodeAt(at) * 61 + text.charCodeAt(at + 1)) % BEGINNINGS
}

/** The forms of a secret: plain, in JSON, in JSON inside JSON, in a URL, and in base64. */
function spellingsOf(secret: string): ReadonlySet<string> {
  const quoted = JSON.stringify(secret).slice(1, -1)
  const encoded = encodeURIComponent(secret.toWellFormed())
  const base64 = Buffer.from(secret)
    .toString('base64')
    .replace(/(?<!=)=+$/, '')
  return new Set([secret, quoted, JSON.stringify(quoted).slice(1, -1), encoded, base64])
}

import type { SecretBox } from '@polylogue/engine'
import type { Redactor } from './redactor.ts'

const SECRET_NAME = /(?:key|token|secret|passw(?:or)?d|credentials?)$/i
const DEEPEST = 6

/** Learns environment variables whose names look like secrets. */
export function learnEnvironment(redactor: Redactor, env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(env)) if (SECRET_NAME.test(name)) redactor.learn(value?.trim())
}

/** Learns keys in a configuration, such as `providers.openai.apiKey`, and passwords in URLs. */
export function learnConfiguration(redactor: Redactor, config: unknown, depth = DEEPEST): void {
  if (typeof config === 'string') learnPassword(redactor, config)
  if (typeof config !== 'object' || config === null || depth === 0) return
  for (const [name, value] of Object.entries(config)) {
    if (SECRET_NAME.test(name) && typeof value === 'string') redactor.learn(value)
    learnConfiguration(redactor, value, depth - 1)
  }
}

/** Learns the password of `scheme://user:password@host`, and the one of `?password=`. */
export function learnPassword(redactor: Redactor, address: string): void {
  const url = URL.parse(address)
  if (url === null) return
  redactor.learn(url.searchParams.get('password') ?? undefined)
  if (url.password === '') return
  redactor.learn(url.password)
  redactor.learn(decoded(url.password))
}

/** `undefined` when a percent sign does not begin a character, so that nobody uses the decoded text. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Wraps a box. The redactor learns every secret that passes through it. */
export function learnFromBox(box: SecretBox, redactor: Redactor): SecretBox {
  return {
    seal(plain, context) {
      redactor.learn(plain)
      return box.seal(plain, context)
    },
    open(sealed, context) {
      const plain = box.open(sealed, context)
      redactor.learn(plain)
      return plain
    },
  }
}

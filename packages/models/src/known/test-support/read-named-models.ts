import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Names that are no models for conversations: they make or hear sound and images, search, or do research by themselves. */
const SPECIAL =
  /audio|search|image|tts|transcribe|realtime|live|robotics|deep-research|banana|aqa|gemma-3|instruct|-16k$/

/** The models for conversations that an installed package of the AI SDK names in its types. */
export function readNamedModels(provider: string): readonly string[] {
  const types = fileURLToPath(new URL('dist/index.d.ts', import.meta.resolve(`@ai-sdk/${provider}/package.json`)))
  const unions = readFileSync(types, 'utf8').matchAll(/type (?:Anthropic|OpenAIResponses|Google)ModelId =([^;]+);/g)
  const names = [...unions].flatMap(([, union = '']) => [...union.matchAll(/'([^']+)'/g)].map(([, name = '']) => name))
  return [...new Set(names)].filter((name) => !SPECIAL.test(name))
}

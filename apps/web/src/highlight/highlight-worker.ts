/** Colours code beside the page, so that a long fence never holds up typing. */
import { createCssVariablesTheme, createHighlighterCore } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import type { HighlightAnswer, HighlightRequest, Piece } from './highlight.ts'
import { findLanguage } from './language-names.ts'
import { loadLanguage } from './languages.ts'

const THEME = 'ink'
const highlighter = createHighlighterCore({
  themes: [createCssVariablesTheme({ name: THEME, variablePrefix: '--code-', fontStyle: false })],
  langs: [],
  // With the newer targets, the first call colours the line after a comment as a comment
  // (https://github.com/slevithan/oniguruma-to-es/issues/45). Delete the target when that is fixed.
  engine: createJavaScriptRegexEngine({ target: 'ES2018' }),
})

/** The theme names each colour as a variable such as `var(--code-token-keyword)`. */
const kindOf = (color: string | undefined): string => /--code-token-([\w-]+)/.exec(color ?? '')?.[1] ?? ''

async function colour({ code, language }: HighlightRequest): Promise<HighlightAnswer['lines']> {
  const name = findLanguage(language)
  if (name === undefined) return undefined
  const shiki = await highlighter
  if (!shiki.getLoadedLanguages().includes(name)) await shiki.loadLanguage(await loadLanguage(name))
  return shiki
    .codeToTokensBase(code, { lang: name, theme: THEME })
    .map((line) => line.map(({ content, color }): Piece => [content, kindOf(color)]))
}

addEventListener('message', (event: MessageEvent<HighlightRequest>) => {
  const { id } = event.data
  void colour(event.data)
    .catch(() => undefined)
    .then((lines) => postMessage({ id, lines } satisfies HighlightAnswer))
})

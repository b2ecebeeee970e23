/** Colours code beside the page, so that a long fence never holds up typing. */
import { createCssVariablesTheme, createHighlighterCore } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import type { HighlightAnswer, HighlightRequest, Piece } from './highlight.ts'
import { findLanguage } from './language-names.ts'
import { loadLanguage } from './languages.ts'

const THEME = 'ink'
/** Longer lines are shown as they are. A limit of time instead would stop in the middle of a comment and colour what follows. */
const LONGEST_LINE = 2_000
const highlighter = createHighlighterCore({
  themes: [createCssVariablesTheme({ name: THEME, variablePrefix: '--code-', fontStyle: false })],
  langs: [],
  engine: createJavaScriptRegexEngine(),
})

/** The theme names each colour as a variable such as `var(--code-token-keyword)`. */
const kindOf = (color: string | undefined): string => /--code-token-([\w-]+)/.exec(color ?? '')?.[1] ?? ''

async function colour({ code, language }: HighlightRequest): Promise<HighlightAnswer['lines']> {
  const name = findLanguage(language)
  if (name === undefined) return undefined
  const shiki = await highlighter
  if (!shiki.getLoadedLanguages().includes(name)) await shiki.loadLanguage(await loadLanguage(name))
  return shiki
    .codeToTokensBase(code, { lang: name, theme: THEME, tokenizeTimeLimit: 0, tokenizeMaxLineLength: LONGEST_LINE })
    .map((line) => line.map(({ content, color }): Piece => [content, kindOf(color)]))
}

addEventListener('message', (event: MessageEvent<HighlightRequest>) => {
  const { id } = event.data
  void colour(event.data)
    .catch(() => undefined)
    .then((lines) => postMessage({ id, lines } satisfies HighlightAnswer))
})

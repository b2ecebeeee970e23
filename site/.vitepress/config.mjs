// The documentation site: every page of docs/, and the pages of the repository that they link to.
import { fileURLToPath } from 'node:url'
import { useRepositoryLinks } from '../links.mjs'
import { EXCLUDED, toAnchor, toSitePath } from '../pages.mjs'
import { CHINESE, ENGLISH, listTranslations } from './locales.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

const ICON =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='8' fill='%2312806e'/>" +
  "<path d='M8 9h16v9H15l-5 5v-5H8z' fill='white'/></svg>"

export default {
  title: 'Polylogue',
  description: 'One agent, every protocol: a self-hosted agent server',
  srcDir: '..',
  srcExclude: EXCLUDED,
  outDir: '../dist/docs',
  cacheDir: '../.cache/vitepress',
  rewrites: toSitePath,
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${ICON}` }]],
  markdown: {
    anchor: { slugify: toAnchor },
    config: (markdown) => useRepositoryLinks(markdown, { root: ROOT, repository: process.env.POLYLOGUE_REPOSITORY }),
    languageAlias: { env: 'sh' },
  },
  locales: { root: ENGLISH, zh: CHINESE },
  // Vite would read the tsconfig.json of the repository, which is for Node.
  vite: { esbuild: { tsconfigRaw: {} } },
  themeConfig: {
    translations: listTranslations(),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        locales: { zh: { translations: CHINESE.searchTexts } },
        miniSearch: { options: { tokenize: toWords } },
      },
    },
  },
}

/**
 * Chinese has no spaces between words. Sent to the browser as text, so it uses nothing from outside.
 * @param {string} text
 * @returns {string[]}
 */
function toWords(text) {
  const segments = new Intl.Segmenter('zh', { granularity: 'word' }).segment(text)
  return [...segments].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment)
}

import { useData, withBase } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { h } from 'vue'
import './style.css'

/** A page that exists in both languages links to the other one. */
const OtherLanguage = () => {
  const { page, theme } = useData()
  const path = page.value.relativePath
  const link = theme.value.translations?.[path]
  if (link === undefined) return null
  return h('p', { class: 'other-language' }, [
    h(
      'a',
      { href: withBase(`/${link.replace(/\.md$/, '.html')}`), hreflang: path.startsWith('zh/') ? 'en' : 'zh-CN' },
      [path.startsWith('zh/') ? 'Read this page in English' : '本页有中文版'],
    ),
  ])
}

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'doc-before': () => h(OtherLanguage) }),
}

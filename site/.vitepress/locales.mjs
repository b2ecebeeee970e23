// Navigation and words of the site, in both languages.

/** The pages of the guide, which exist in both languages: path, English name, Chinese name. */
const GUIDE = [
  ['guide/getting-started', 'Getting started', '快速开始'],
  ['guide/agents', 'Agents', '智能体'],
  ['tools', 'Built-in tools', '内置工具'],
  ['models', 'Models', '模型'],
  ['guide/chat', 'Chat in a terminal', '终端对话'],
  ['guide/security', 'Security overview', '安全概览'],
]
const RUN_IT = [
  ['guide/self-hosting', 'Self-hosting', '自行部署'],
  ['guide/teams', 'Teams', '团队'],
  ['deploy', 'Deployment', '部署'],
  ['guide/container', 'Containers', '容器'],
  ['guide/kubernetes', 'Kubernetes', 'Kubernetes'],
  ['guide/upgrade', 'Upgrading', '升级'],
]

const items = (prefix, column) => (pages) => pages.map((page) => ({ text: page[column], link: `${prefix}/${page[0]}` }))
const english = items('', 1)
const chinese = items('/zh', 2)
const only = (...pages) => pages.map(([link, text]) => ({ text, link }))

/** The other language's page of each page that has one, as paths on the site. */
export function listTranslations() {
  const paths = ['contents', 'readme', ...[...GUIDE, ...RUN_IT].map(([path]) => path)].map((path) => `${path}.md`)
  return Object.fromEntries(
    paths.flatMap((path) => [
      [path, `zh/${path}`],
      [`zh/${path}`, path],
    ]),
  )
}

export const ENGLISH = {
  label: 'English',
  lang: 'en',
  themeConfig: {
    // Not every page has a translation: the switch leads to the other language's start page.
    i18nRouting: false,
    nav: [
      { text: 'Guide', link: '/guide/getting-started', activeMatch: '^/guide/' },
      { text: 'Protocols', link: '/doors/aap', activeMatch: '^/doors/' },
      { text: 'All pages', link: '/contents' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: [
      { text: 'Guide', items: english(GUIDE) },
      { text: 'Run it', items: english(RUN_IT) },
      {
        text: 'Use it',
        collapsed: true,
        items: only(
          ['/tour', 'Tour with curl'],
          ['/console', 'Web console'],
          ['/permissions', 'Permissions'],
          ['/memory', 'Memory and skills'],
          ['/schedules', 'Schedules'],
          ['/mcp', 'MCP servers'],
          ['/cost', 'Cost and budgets'],
          ['/replay', 'Record and replay'],
          ['/evaluation', 'Evaluation'],
        ),
      },
      {
        text: 'Protocols',
        collapsed: true,
        items: only(
          ['/doors/aap', 'AAP'],
          ['/doors/acp', 'ACP'],
          ['/doors/blade', 'Blade'],
          ['/doors/console', 'The console’s API'],
          ['/client', 'The typed client'],
          ['/check', 'Checking a server'],
          ['/contracts/', 'Contracts'],
        ),
      },
      {
        text: 'Operate it',
        collapsed: true,
        items: only(
          ['/operations', 'Operations'],
          ['/security', 'Security'],
          ['/performance', 'Performance'],
          ['/reliability', 'Reliability'],
          ['/platforms', 'macOS and Windows'],
        ),
      },
      {
        text: 'Understand and change it',
        collapsed: true,
        items: only(
          ['/architecture', 'Architecture'],
          ['/glossary', 'Glossary'],
          ['/equivalence', 'Equivalence'],
          ['/decisions/', 'Decisions'],
          ['/contributing', 'Contributing'],
          ['/releasing', 'Releasing'],
        ),
      },
    ],
  },
}

export const CHINESE = {
  label: '简体中文',
  lang: 'zh-CN',
  title: 'Polylogue',
  description: '一个智能体，所有协议：自行部署的智能体服务器',
  themeConfig: {
    nav: [
      { text: '指南', link: '/zh/guide/getting-started', activeMatch: '^/zh/' },
      { text: '协议（英文）', link: '/doors/aap' },
      { text: '全部页面', link: '/zh/contents' },
    ],
    sidebar: [
      { text: '指南', items: chinese(GUIDE) },
      { text: '运行', items: chinese(RUN_IT) },
      { text: '更多', items: only(['/zh/readme', '自述'], ['/zh/contents', '全部页面']) },
    ],
    outline: { level: [2, 3], label: '本页目录' },
    docFooter: { prev: '上一页', next: '下一页' },
    darkModeSwitchLabel: '外观',
    lightModeSwitchTitle: '切换到浅色',
    darkModeSwitchTitle: '切换到深色',
    sidebarMenuLabel: '菜单',
    returnToTopLabel: '回到顶部',
    langMenuLabel: '语言',
    skipToContentLabel: '跳到正文',
  },
  searchTexts: {
    button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
    modal: {
      displayDetails: '显示详情',
      resetButtonTitle: '清除',
      backButtonTitle: '返回',
      noResultsText: '没有结果：',
      footer: {
        selectText: '选择',
        selectKeyAriaLabel: '回车',
        navigateText: '移动',
        navigateUpKeyAriaLabel: '上箭头',
        navigateDownKeyAriaLabel: '下箭头',
        closeText: '关闭',
        closeKeyAriaLabel: 'Esc',
      },
    },
  },
}

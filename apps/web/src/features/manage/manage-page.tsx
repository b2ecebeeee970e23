import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { AgentsPage } from './agents-page.tsx'
import { BudgetsPage } from './budgets-page.tsx'
import { KeysPage } from './keys-page.tsx'
import { McpPage } from './mcp-page.tsx'
import { MemoriesPage } from './memories-page.tsx'
import { NodesPage } from './nodes-page.tsx'
import { RulesPage } from './rules-page.tsx'
import { useAnswer } from './use-answer.ts'
import './manage.css'

const PARTS = {
  agents: AgentsPage,
  keys: KeysPage,
  rules: RulesPage,
  memories: MemoriesPage,
  mcp: McpPage,
  budgets: BudgetsPage,
  nodes: NodesPage,
} as const
type PartName = keyof typeof PARTS

const isPart = (name: string): name is PartName => name in PARTS

/** What `/manage` and an unknown part show: the first of them. Models stand below the agents. */
const FIRST = 'agents'

export function ManagePage({ what = FIRST }: { readonly what?: string }) {
  const { t } = useTranslation()
  const isShared = useIsShared()
  const titles = {
    agents: t('agents'),
    keys: t('keys'),
    rules: t('rules'),
    memories: t('memories'),
    mcp: t('mcpServers'),
    budgets: t('budgets'),
    ...(isShared && { nodes: t('nodes') }),
  }
  const part = isPart(what) ? what : FIRST
  const Part = PARTS[part]
  const tabs = useRef<HTMLElement>(null)
  // On a phone not all of them fit.
  useEffect(() => {
    tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [part])
  return (
    <main className="page">
      <div className="page-inner">
        <h1>{t('manage')}</h1>
        <nav ref={tabs} className="tabs" aria-label={t('manage')}>
          {Object.entries(titles).map(([name, title]) => (
            <Link key={name} href={`/manage/${name}`} aria-current={name === part ? 'page' : undefined}>
              {title}
            </Link>
          ))}
        </nav>
        <Part />
      </div>
    </main>
  )
}

/** Whether other servers may use the same database. Only the operator may read that. */
function useIsShared(): boolean {
  const { value } = useAnswer('nodes', (api) => api.readNodes())
  return value?.nodes.some(({ leaseUntil }) => leaseUntil !== undefined) ?? false
}

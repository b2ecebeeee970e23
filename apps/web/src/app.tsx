import { Suspense, lazy } from 'react'
import { useTranslation } from 'react-i18next'
import { Route, Switch } from 'wouter'
import { LINK_KEY } from './model/console-model.ts'
import { ChatPage } from './features/chat/chat-page.tsx'
import { NewPage } from './features/chat/new-page.tsx'
import { SignedOutPage } from './features/signin/sign-in-page.tsx'
import { Shell } from './features/shell/shell.tsx'
import { useModel, useSnapshot } from './ui/model-context.tsx'

const InboxPage = lazy(async () => ({ default: (await import('./features/inbox/inbox-page.tsx')).InboxPage }))
const SessionsPage = lazy(async () => ({
  default: (await import('./features/sessions/sessions-page.tsx')).SessionsPage,
}))
const ConnectPage = lazy(async () => ({ default: (await import('./features/connect/connect-page.tsx')).ConnectPage }))
const SettingsPage = lazy(async () => ({
  default: (await import('./features/settings/settings-page.tsx')).SettingsPage,
}))

export function App() {
  const model = useModel()
  const link = useSnapshot(LINK_KEY, () => model.link)
  // Whoever was signed in keeps what is on screen, with a sentence above it.
  if (link === 'signed-out' && !model.wasSignedIn) return <SignedOutPage />
  return (
    <Shell>
      <Suspense>
        <Switch>
          <Route path="/" component={NewPage} />
          <Route path="/s/:id">{({ id }) => <ChatPage key={id} id={id} />}</Route>
          <Route path="/inbox" component={InboxPage} />
          <Route path="/sessions" component={SessionsPage} />
          <Route path="/connect" component={ConnectPage} />
          <Route path="/settings" component={SettingsPage} />
          <Route component={NoPage} />
        </Switch>
      </Suspense>
    </Shell>
  )
}

function NoPage() {
  const { t } = useTranslation()
  return (
    <main className="page">
      <div className="page-inner">
        <h1>{t('notFound')}</h1>
      </div>
    </main>
  )
}

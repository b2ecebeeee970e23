import { Route, Switch } from 'wouter'
import { useTranslation } from 'react-i18next'
import { LINK_KEY } from './model/console-model.ts'
import { ChatPage } from './features/chat/chat-page.tsx'
import { NewPage } from './features/chat/new-page.tsx'
import { SignedOutPage } from './features/signin/sign-in-page.tsx'
import { Shell } from './features/shell/shell.tsx'
import { useModel, useSnapshot } from './ui/model-context.tsx'

export function App() {
  const model = useModel()
  const link = useSnapshot(LINK_KEY, () => model.link)
  // Whoever was signed in keeps what is on screen, with a sentence above it.
  if (link === 'signed-out' && !model.wasSignedIn) return <SignedOutPage />
  return (
    <Shell>
      <Switch>
        <Route path="/" component={NewPage} />
        <Route path="/s/:id">{({ id }) => <ChatPage key={id} id={id} />}</Route>
        <Route component={NoPage} />
      </Switch>
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

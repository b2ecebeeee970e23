import { Suspense, lazy } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, Route, Switch, useSearchParams } from 'wouter'
import { LINK_KEY } from './model/console-model.ts'
import { ChatPage } from './features/chat/chat-page.tsx'
import { NewPage } from './features/chat/new-page.tsx'
import { Shell } from './features/shell/shell.tsx'
import { useModel, useSnapshot } from './ui/model-context.tsx'

const SignedOutPage = lazy(async () => ({
  default: (await import('./features/signin/sign-in-page.tsx')).SignedOutPage,
}))
const InboxPage = lazy(async () => ({ default: (await import('./features/inbox/inbox-page.tsx')).InboxPage }))
const SessionsPage = lazy(async () => ({
  default: (await import('./features/sessions/sessions-page.tsx')).SessionsPage,
}))
const ConnectPage = lazy(async () => ({ default: (await import('./features/connect/connect-page.tsx')).ConnectPage }))
const SettingsPage = lazy(async () => ({
  default: (await import('./features/settings/settings-page.tsx')).SettingsPage,
}))

const DoorsPage = lazy(async () => ({ default: (await import('./features/doors/doors-page.tsx')).DoorsPage }))
const PastPage = lazy(async () => ({ default: (await import('./features/doors/past-page.tsx')).PastPage }))
const ManagePage = lazy(async () => ({ default: (await import('./features/manage/manage-page.tsx')).ManagePage }))
const SchedulesPage = lazy(async () => ({
  default: (await import('./features/schedules/schedules-page.tsx')).SchedulesPage,
}))
const UsagePage = lazy(async () => ({ default: (await import('./features/manage/usage-page.tsx')).UsagePage }))

export function App() {
  const model = useModel()
  const link = useSnapshot(LINK_KEY, () => model.link)
  // Whoever was signed in keeps what is on screen, with a sentence above it.
  if (link === 'signed-out' && !model.wasSignedIn) {
    return (
      <Suspense>
        <SignedOutPage />
      </Suspense>
    )
  }
  return (
    <Shell>
      <Suspense>
        <Switch>
          <Route path="/" component={NewPage} />
          <Route path="/s/:id">{({ id }) => <SessionPage key={id} id={id} />}</Route>
          <Route path="/s/:id/doors">{({ id }) => <DoorsPage key={id} id={id} />}</Route>
          <Route path="/usage" component={UsagePage} />
          <Route path="/schedules/:id?">{({ id }) => <SchedulesPage id={id} />}</Route>
          <Route path="/manage/:what?">{({ what }) => <ManagePage what={what} />}</Route>
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

/** The chat now, or as it was with `?at=`. */
function SessionPage({ id }: { readonly id: string }) {
  const [params] = useSearchParams()
  const at = Number(params.get('at'))
  return Number.isInteger(at) && at > 0 ? <PastPage id={id} seq={at} /> : <ChatPage id={id} />
}

function NoPage() {
  const { t } = useTranslation()
  return (
    <main className="page">
      <div className="page-inner">
        <h1>{t('notFound')}</h1>
        <p className="page-next">
          <Link href="/" className="button">
            {t('toStart')}
          </Link>
        </p>
      </div>
    </main>
  )
}

import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { SERVER_KEY } from '../../model/console-model.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { DoorTag } from '../../ui/door-tag.tsx'
import { connectLines } from './connect-lines.ts'
import { PhoneSignIn } from './phone-sign-in.tsx'
import './connect.css'

/** Lines to paste, one block for each door. They hold `$KEY` and never a key. */
export function ConnectPage() {
  const { t } = useTranslation()
  const model = useModel()
  const server = useSnapshot(SERVER_KEY, () => model.server)
  // A line with a guessed agent would be refused where there is no such agent.
  const lines = server === undefined ? [] : connectLines(location.origin, server.status.defaultAgent)
  return (
    <main className="page">
      <div className="page-inner">
        <h1>{t('connectTitle')}</h1>
        <p className="quiet">
          {t('connectHint')} <Link href="/manage/keys">{t('makeKey')}</Link>
        </p>
        {lines.map(({ door, title, text }) => (
          <section key={text} className="connect-block">
            <header>
              {door === undefined ? null : <DoorTag door={door} />}
              <h2 translate="no">{title ?? t('key')}</h2>
              <CopyButton text={text} />
            </header>
            <pre tabIndex={0}>{text}</pre>
          </section>
        ))}
        <PhoneSignIn />
      </div>
    </main>
  )
}

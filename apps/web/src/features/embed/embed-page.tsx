import { useTranslation } from 'react-i18next'
import { LINK_KEY } from '../../model/console-model.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { ChatPage } from '../chat/chat-page.tsx'
import { LinkBanner } from '../shell/link-banner.tsx'
import './embed.css'

/** The chat alone: no list of sessions, no settings, nothing that leads elsewhere. */
export function EmbedPage({ id }: { readonly id: string }) {
  const model = useModel()
  const { t } = useTranslation()
  const link = useSnapshot(LINK_KEY, () => model.link)
  if (link === 'signed-out' && !model.wasSignedIn) return <NoEmbed problem={t('embedOver')} />
  return (
    <div className="embed">
      <LinkBanner />
      <ChatPage id={id} />
    </div>
  )
}

/** What stands here instead of the chat when nobody is signed in. */
export function NoEmbed({ problem }: { readonly problem: string }) {
  return (
    <main className="page">
      <div className="page-inner">
        <p role="alert">{problem}</p>
      </div>
    </main>
  )
}

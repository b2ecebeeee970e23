import { Smartphone } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatTime } from '../../ui/format.ts'
import { useModel } from '../../ui/model-context.tsx'

const QrCode = lazy(async () => ({ default: (await import('./qr-code.tsx')).QrCode }))

interface SignInLink {
  readonly url: string
  readonly expiresAt: number
}

/** A link that signs another browser in, once, as text and as a picture for a phone's camera. */
export function PhoneSignIn() {
  const { t, i18n } = useTranslation()
  const model = useModel()
  const [link, setLink] = useState<SignInLink>()
  const [problem, setProblem] = useState<string>()
  const make = async (): Promise<void> => {
    setProblem(undefined)
    try {
      setLink(await (await model.api()).createSignInLink({ body: {} }))
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <section className="connect-block phone-sign-in">
      <header>
        <Smartphone size={15} aria-hidden />
        <h2>{t('phoneTitle')}</h2>
        <button type="button" className="button" onClick={() => void make()}>
          {t('phoneMake')}
        </button>
      </header>
      {link === undefined ? (
        <p className="quiet">{t('phoneHint')}</p>
      ) : (
        <div className="phone-link">
          <Suspense>
            <QrCode text={link.url} label={t('phoneCode')} />
          </Suspense>
          <div>
            <p>
              <code data-link>{link.url}</code> <CopyButton text={link.url} />
            </p>
            <p className="quiet">
              {t('phoneUntil', { time: formatTime(new Date(link.expiresAt).toISOString(), i18n.language) })}
            </p>
          </div>
        </div>
      )}
      {problem === undefined ? null : (
        <p className="row-problem" role="alert">
          {problem}
        </p>
      )}
    </section>
  )
}

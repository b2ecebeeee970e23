import { ImageOff } from 'lucide-react'
import { useEffect, useState, type ComponentProps } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from './dialog.tsx'

/** An image of another server. Nothing asks for it before somebody has seen its address and agreed. */
export function ForeignImage({ src, alt = '' }: ComponentProps<'img'>) {
  const { t } = useTranslation()
  const [isAsking, setAsking] = useState(false)
  const [shown, setShown] = useState<string>()
  const [problem, setProblem] = useState<string>()
  useEffect(() => () => URL.revokeObjectURL(shown ?? ''), [shown])
  const address = typeof src === 'string' && /^https?:/i.test(src) ? src : undefined
  const load = async (): Promise<void> => {
    setAsking(false)
    setProblem(undefined)
    try {
      setShown(URL.createObjectURL(await fetchImage(address ?? '')))
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  if (shown !== undefined) return <img className="foreign-image" src={shown} alt={alt} />
  return (
    <span className="hidden-image">
      <ImageOff size={14} aria-hidden />
      <span>
        {alt === '' ? t('imageHidden') : alt}
        {typeof src === 'string' ? <code>{src}</code> : null}
        {problem === undefined ? null : <span role="alert">{problem}</span>}
      </span>
      {address === undefined ? null : (
        <button type="button" className="button" onClick={() => setAsking(true)}>
          {t('showImage')}
        </button>
      )}
      {isAsking ? (
        <Dialog title={t('showImageTitle')} onClose={() => setAsking(false)}>
          <p className="quiet">{t('showImageHint')}</p>
          <pre className="whole-url">{address}</pre>
          <div className="actions">
            <button type="button" className="button" onClick={() => setAsking(false)}>
              {t('cancel')}
            </button>
            <button type="button" className="button ink" onClick={() => void load()}>
              {t('showImage')}
            </button>
          </div>
        </Dialog>
      ) : null}
    </span>
  )
}

/** Our own server fetches it, from public hosts only. */
async function fetchImage(url: string): Promise<Blob> {
  const response = await fetch('/api/polylogue/images', {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url }),
  })
  if (response.ok) return response.blob()
  const { error } = (await response.json()) as { readonly error?: string }
  throw new Error(error ?? `The server answered ${response.status}.`)
}

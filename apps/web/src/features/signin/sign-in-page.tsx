import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Refused, isObject, request } from '../../model/http.ts'
import './sign-in.css'

/** The code travels behind the #, where no log and no referrer sees it. */
function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  history.replaceState(null, '', location.pathname)
  return code
}

const code = location.pathname === '/signin' ? takeCode() : null

export function SignInPage() {
  const { t } = useTranslation()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    const signIn = async (): Promise<void> => {
      if (code === null) return setProblem(t('linkNoCode'))
      try {
        await request('POST', '/signin', { code })
        location.replace('/')
      } catch (error) {
        setProblem(error instanceof Refused ? error.message : t('offline'))
      }
    }
    void signIn()
  }, [t])
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <img src="/icon.svg" alt="" width="32" height="32" />
        {problem === undefined ? (
          <p role="status">{t('signingIn')}</p>
        ) : (
          <>
            <h1>{t('linkFailed')}</h1>
            <p role="alert">{problem.replaceAll('`', '')}</p>
            <p className="quiet">{t('linkHint')}</p>
            <pre>./polylogue link</pre>
            <a href="/">{t('toStart')}</a>
          </>
        )}
      </div>
    </main>
  )
}

export function SignedOutPage() {
  const { t } = useTranslation()
  const provider = useProvider()
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <img src="/icon.svg" alt="" width="32" height="32" />
        <h1>{t('signedOutTitle')}</h1>
        {provider === undefined ? null : (
          <a className="button ink" href="/signin/oidc">
            {t('signInWith', { title: provider })}
          </a>
        )}
        <p>{t('signedOutBody')}</p>
        <pre>./polylogue link</pre>
        <p className="quiet">{t('signedOutHint')}</p>
        <KeyForm />
      </div>
    </main>
  )
}

/** The title of the server's OpenID provider, if it has one. */
function useProvider(): string | undefined {
  const [title, setTitle] = useState<string>()
  useEffect(() => {
    request('GET', '/signin/methods')
      .then((found) => setTitle(readTitle(found)))
      .catch(() => undefined)
  }, [])
  return title
}

function readTitle(found: unknown): string | undefined {
  const oidc = isObject(found) ? found['oidc'] : undefined
  const title = isObject(oidc) ? oidc['title'] : undefined
  return typeof title === 'string' ? title : undefined
}

/** The key is sent once and becomes a cookie; the browser does not keep it. */
function KeyForm() {
  const { t } = useTranslation()
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState<string>()
  const signIn = async (): Promise<void> => {
    try {
      await request('POST', '/signin', { key })
      // Where the reader wanted to go.
      location.reload()
    } catch (error) {
      setProblem(error instanceof Refused ? error.message : t('offline'))
    }
  }
  return (
    <form
      className="key-form"
      onSubmit={(event) => {
        event.preventDefault()
        void signIn()
      }}
    >
      <label>
        {t('signInKey')}
        <input
          className="field"
          type="password"
          autoComplete="off"
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
      </label>
      <button type="submit" className="button ink" disabled={key.trim() === ''}>
        {t('signIn')}
      </button>
      {problem === undefined ? null : <p role="alert">{problem}</p>}
    </form>
  )
}

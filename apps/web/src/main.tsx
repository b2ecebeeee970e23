import { createRoot } from 'react-dom/client'
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import { App } from './app.tsx'
import { initWords } from './i18n/init-words.ts'
import { ConsoleModel } from './model/console-model.ts'
import { embeddedSession } from './model/embedded-session.ts'
import { preloadMarkdown } from './ui/lazy-markdown.tsx'
import { preloadMenu } from './ui/lazy-menu.tsx'
import { ModelContext } from './ui/model-context.tsx'
import { applySettings } from './ui/settings.ts'

async function start(): Promise<void> {
  applySettings()
  await initWords()
  const element = document.getElementById('root')
  if (element === null) throw new Error('the page has no root')
  const root = createRoot(element)
  if (location.pathname === '/signin') {
    const { SignInPage } = await import('./features/signin/sign-in-page.tsx')
    return root.render(<SignInPage />)
  }
  const embedded = embeddedSession()
  if (embedded !== undefined) return (await import('./features/embed/start-embed.tsx')).startEmbed(root, embedded)
  const model = new ConsoleModel()
  model.start()
  root.render(
    <ModelContext value={model}>
      <App />
    </ModelContext>,
  )
  preloadMarkdown()
  preloadMenu()
}

await start()

import { Hono } from 'hono'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

export interface PageDeps {
  readonly version: string
}

/** Scripts and styles from our own files only, nothing inline, no frame around it, no answers to anybody else. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'self'",
].join('; ')

const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const

/** Everything that can be asked for, by name: a path never reaches the file system. */
const PAGES = { '/': 'index.html', '/signin': 'signin.html' } as const
const FILES = [
  'style.css',
  'calls.css',
  'icon.svg',
  'api.js',
  'app.js',
  'call-answers.js',
  'call-log.js',
  'call-view.js',
  'chat.js',
  'connect-lines.js',
  'element.js',
  'line-diff.js',
  'mode-switch.js',
  'question-form.js',
  'questions.js',
  'session-list.js',
  'signin.js',
  'spell-out.js',
  'sse.js',
  'tool-picker.js',
  'transcript.js',
  'transcript-view.js',
  'what-runs.js',
] as const

type AssetName = (typeof PAGES)[keyof typeof PAGES] | (typeof FILES)[number]

interface Asset {
  readonly body: string
  readonly type: string
  readonly etag: string
}

/** The page at `/`: status, lines to paste and a small chat, until somebody needs more than that. */
export function createPageRoutes({ version }: PageDeps): Hono {
  const routes = new Hono()
  for (const [path, name] of Object.entries(PAGES)) serveAsset(routes, path, name)
  for (const name of FILES) serveAsset(routes, `/page/${name}`, name)
  return routes

  function serveAsset(to: Hono, path: string, name: AssetName): void {
    let loading: Promise<Asset> | undefined
    to.get(path, async (c) => {
      loading ??= loadAsset(name, version)
      const { body, type, etag } = await loading
      const headers = {
        'content-type': type,
        'content-security-policy': CONTENT_SECURITY_POLICY,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
        etag,
      }
      return c.req.header('if-none-match') === etag ? c.body(null, 304, headers) : c.body(body, 200, headers)
    })
  }
}

async function loadAsset(name: AssetName, version: string): Promise<Asset> {
  const body = await readFile(new URL(`./assets/${name}`, import.meta.url), 'utf8')
  const etag = `"${version}-${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`
  return { body, type: TYPES[toExtension(name)], etag }
}

function toExtension(name: AssetName): keyof typeof TYPES {
  if (name.endsWith('.html')) return 'html'
  if (name.endsWith('.css')) return 'css'
  return name.endsWith('.js') ? 'js' : 'svg'
}

import { Hono } from 'hono'
import { WebFiles } from './web-files.ts'

/** Swagger UI, which the build of the web console copies beside its own files. */
const VIEWER = ['swagger-ui-bundle.js', 'swagger-ui.css'] as const

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Polylogue API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<body>
<noscript>This page needs JavaScript. For programs: <a href="/openapi.json">/openapi.json</a>.</noscript>
<main id="docs"></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, docExpansion: 'none', filter: true })\n`

/** The documentation of every HTTP API at `/docs`. It loads our own files only. */
export function createDocsRoutes(files: WebFiles = new WebFiles()): Hono {
  const routes = new Hono()
  routes.get('/docs', (c) => c.html(PAGE))
  routes.get('/docs/start.js', (c) => c.body(START, 200, { 'content-type': 'text/javascript; charset=utf-8' }))
  for (const name of VIEWER) {
    routes.get(`/docs/${name}`, async (c) => {
      const file = await files.find(`docs/${name}`)
      if (file === undefined) return c.json({ error: 'Not found' }, 404)
      const isGzipped = file.gzipped !== undefined && /\bgzip\b/.test(c.req.header('accept-encoding') ?? '')
      return c.body(isGzipped && file.gzipped ? file.gzipped : file.body, 200, {
        'content-type': file.type,
        'cache-control': 'no-cache',
        vary: 'Accept-Encoding, Origin',
        ...(isGzipped && { 'content-encoding': 'gzip' }),
      })
    })
  }
  return routes
}

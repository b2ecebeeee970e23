import react from '@vitejs/plugin-react'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Raw HTML is never rendered, so its parser is not shipped. */
const withoutRawHtml: Plugin = {
  name: 'without-raw-html',
  enforce: 'pre',
  resolveId: (id) => (id === 'rehype-raw' ? '\0without-raw-html' : undefined),
  load: (id) => (id === '\0without-raw-html' ? 'export default function keepText() {}' : undefined),
}

export default defineConfig({
  root: source('.'),
  plugins: [react(), withoutRawHtml],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // Inlined files would need data: in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  worker: { format: 'es' },
  server: { proxy: { '/api': 'http://127.0.0.1:8020', '/socket.io': { target: 'ws://127.0.0.1:8020', ws: true } } },
})

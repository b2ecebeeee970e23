import react from '@vitejs/plugin-react'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Parts of other packages that we do not use, and what stands in their place. */
const UNUSED: { readonly [id: string]: string } = {
  // Raw HTML is never rendered, so its parser is not shipped.
  'rehype-raw': 'export default function keepText() {}',
  // Links and images are drawn by our own components.
  'rehype-harden': 'export function harden() {}',
  // Our classes never contradict each other.
  'tailwind-merge': "export const twMerge = (...classes) => classes.flat().filter(Boolean).join(' ')",
}

const withoutUnused: Plugin = {
  name: 'without-unused',
  enforce: 'pre',
  resolveId: (id) => (Object.hasOwn(UNUSED, id) ? `\0unused:${id}` : undefined),
  load: (id) => UNUSED[id.replace(/^\0unused:/, '')],
}

/** Small modules of the first screen that other screens share. One file of them is smaller than forty. */
const BASE =
  /\/src\/(?:model\/(?!console-client|console-contract|no-eval|past|schedules)|i18n\/(?:en|init|server)|ui\/(?:copy|format|spell|settings|door|status|model|outside|card|dialog|lazy))|lucide-react\/dist\/esm\/(?!icons|lucide)/

export default defineConfig({
  root: source('.'),
  plugins: [react(), withoutUnused],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // Inlined files would need data: in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'base', test: BASE }] } } },
  },
  worker: { format: 'es' },
  server: { proxy: { '/api': 'http://127.0.0.1:8020', '/socket.io': { target: 'ws://127.0.0.1:8020', ws: true } } },
})

/** Node runs TypeScript outside of `node_modules` only, so an installed package is found there. */
const IS_INSTALLED = /[/\\]node_modules[/\\]/.test(import.meta.url)

/** The texts name the commands of a checkout. An installed package has no launcher and no `npm start`. */
export function namingProgram(text: string, isInstalled = IS_INSTALLED): string {
  return isInstalled ? text.replaceAll(/npm start|\.\/polylogue\b/g, 'npx polylogue') : text
}

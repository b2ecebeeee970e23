/**
 * An element with its properties and children. Strings become text, never markup.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Partial<Record<keyof HTMLElementTagNameMap[T], unknown>> & { className?: string }} [properties]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag)
  Object.assign(node, properties)
  node.append(...children)
  return node
}

/**
 * The element of the page with this id.
 * @template {HTMLElement} E
 * @param {string} id
 * @param {new () => E} type
 * @returns {E}
 */
export function find(id, type) {
  const node = document.getElementById(id)
  if (!(node instanceof type)) throw new Error(`The page has no ${type.name} #${id}.`)
  return node
}

/** @param {HTMLElement} list a `dl` @param {readonly (readonly [string, string])[]} facts */
export function showFacts(list, facts) {
  list.replaceChildren(...facts.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]))
}

import { defineAgent, defineConfig, defineTool, z } from 'polylogue'

const shelf = new Map([
  ['moby-dick', { title: 'Moby-Dick', author: 'Herman Melville', isLent: false }],
  ['emma', { title: 'Emma', author: 'Jane Austen', isLent: true }],
])

const findBooks = defineTool({
  name: 'find_books',
  title: 'Find books',
  description: 'Finds books of the library by a word in their title or author.',
  input: z.object({ word: z.string().min(1).describe('A word of the title or the name of the author') }),
  // It only looks: it needs nobody's approval, and after a crash it is simply run again.
  effect: 'readonly',
  run: ({ input }) => {
    const word = input.word.toLowerCase()
    return [...shelf]
      .map(([id, book]) => ({ id, ...book }))
      .filter(({ title, author }) => `${title} ${author}`.toLowerCase().includes(word))
  },
})

const lendBook = defineTool({
  name: 'lend_book',
  title: 'Lend a book',
  description: 'Lends a book to the reader.',
  input: z.object({ id: z.string().describe('The id that find_books gave') }),
  // It changes something: somebody must approve it, and it is never run twice for one call.
  effect: 'unsafe',
  run: ({ input }) => {
    const book = shelf.get(input.id)
    if (!book) return { content: `There is no book with the id ${input.id}.`, isError: true }
    if (book.isLent) return { content: `${book.title} is lent already.`, isError: true }
    shelf.set(input.id, { ...book, isLent: true })
    return `${book.title} is yours for four weeks.`
  },
})

export default defineConfig({
  agents: [
    defineAgent({
      name: 'librarian',
      title: 'Librarian',
      version: '1.0.0',
      description: 'Finds and lends the books of a small library.',
      instructions: 'You are the librarian of a small library. Find books before you lend them.',
      model: 'demo',
      tools: [findBooks, lendBook],
      options: [
        { type: 'text', name: 'reader', title: 'Name of the reader', default: 'guest' },
        { type: 'select', name: 'manner', choices: ['friendly', 'brief'], default: 'friendly' },
        { type: 'secret', name: 'cardNumber', title: 'Number of the library card' },
      ],
      maxSteps: 20,
    }),
  ],
  // Agents in Markdown name the tools they want from this list.
  tools: [findBooks],
})

import type { ModelRequest, OfferedTool } from '@polylogue/engine'
import { CHINESE } from './chinese.ts'
import { ENGLISH } from './english.ts'
import type { GuideTexts } from './guide-texts.ts'
import { namingProgram } from './naming-program.ts'
import { quote } from './quote.ts'
import { type Conversation, readConversation } from './read-conversation.ts'
import { joinSaid, saidIn } from './said-in.ts'
import type { Call, Telling } from './telling.ts'
import { answerResults, callForTopic, isToolTopic, useTool } from './tool-answers.ts'
import { TOUR, type Topic, type Wish, numberOf } from './topic.ts'
import { runErrand } from './work/run-errand.ts'
import { goOnWorking } from './work/go-on-working.ts'

/** One step of the guide, a pure function of the request. */
export interface DemoAnswer {
  readonly thinking: string
  readonly text: string
  /** The rest of the text, slow enough to be stopped or killed in the middle. */
  readonly slowText: string
  readonly calls: readonly Call[]
}

const LONGEST_UNKNOWN = 80

export function answerOf(request: ModelRequest): DemoAnswer {
  const conversation = readConversation(request)
  const texts = conversation.language === 'zh' ? CHINESE : ENGLISH
  const { thinking, text, slowText, calls = [], isWhole = false } = tell(request, conversation, texts)
  const end = calls.length > 0 || isWhole ? '' : `\n\n${suggestNext(conversation, texts)}`
  if (slowText === undefined) return { thinking, text: namingProgram(text + end), slowText: '', calls }
  return { thinking, text: namingProgram(`${text}\n\n`), slowText: namingProgram(slowText + end), calls }
}

function tell(request: ModelRequest, conversation: Conversation, texts: GuideTexts): Telling {
  const { wish, isFirst, shown } = conversation
  if (request.purpose === 'summary') return summarise(request, texts)
  const thinking =
    conversation.results.length > 0 ? texts.thinking.results(conversation.results.length) : thinkingOf(wish, texts)
  if (wish.type === 'errand')
    return { thinking, ...runErrand(wish.path, { conversation, tools: request.tools, texts: texts.work }) }
  if (wish.type === 'topic') return { thinking, ...tellTopic(wish, { tools: request.tools, conversation, texts }) }
  if (conversation.results.length > 0) return { thinking, ...answerResults(conversation, texts) }
  switch (wish.type) {
    case 'use':
      return useTool(wish, request.tools, texts)
    case 'greeting':
    case 'menu':
      return {
        thinking,
        text: isFirst ? `${texts.welcome}\n\n${menu(shown, texts)}` : menu(shown, texts),
        isWhole: true,
      }
    case 'about':
      return { thinking, text: isFirst ? `${texts.about}\n\n${menu(shown, texts)}` : texts.about, isWhole: isFirst }
    case 'tools':
      return { thinking, text: listTools(request, texts) }
    case 'options':
      return { thinking, text: listOptions(request, texts) }
    case 'next':
      return { thinking, text: texts.finished, isWhole: true }
    case 'thanks':
      return { thinking, text: texts.thanks }
    case 'farewell':
      return { thinking, text: texts.farewell, isWhole: true }
    case 'unknown': {
      const text = wish.text === '' ? texts.wordless : texts.unknown(quote(wish.text, LONGEST_UNKNOWN))
      return { thinking, text: `${text}\n\n${menu(shown, texts)}`, isWhole: true }
    }
  }
}

interface TopicParts {
  readonly tools: readonly OfferedTool[]
  readonly conversation: Conversation
  readonly texts: GuideTexts
}

function tellTopic(
  { topic, detail }: Extract<Wish, { readonly type: 'topic' }>,
  { tools, conversation, texts }: TopicParts,
): Omit<Telling, 'thinking'> {
  if (topic === 'work') return goOnWorking(conversation, tools, texts.work)
  if (conversation.results.length > 0) return answerResults(conversation, texts)
  if (isToolTopic(topic)) return callForTopic(topic, detail, { tools, texts })
  return { text: texts.topics[topic], slowText: texts.slow[topic] }
}

function thinkingOf(wish: Wish, { thinking }: GuideTexts): string {
  switch (wish.type) {
    case 'topic':
      return thinking.topic(numberOf(wish.topic), wish.word)
    case 'use':
      return ''
    case 'errand':
      return thinking.errand
    case 'unknown':
      return thinking.unknown
    case 'next':
      return thinking.tourIsOver
    default:
      return wish.word === undefined ? '' : thinking.word(wish.word)
  }
}

function menu(shown: ReadonlySet<Topic>, texts: GuideTexts): string {
  const { head, titles, foot } = texts.menu
  const lines = TOUR.map((topic) => `${numberOf(topic)}. ${titles[topic]}${shown.has(topic) ? ' ✓' : ''}`)
  return [head, '', ...lines, '', foot].join('\n')
}

function suggestNext({ next }: Conversation, texts: GuideTexts): string {
  return next === undefined ? texts.finished : texts.next(numberOf(next), texts.menu.titles[next])
}

function listTools({ tools }: ModelRequest, texts: GuideTexts): string {
  if (tools.length === 0) return texts.tools.none
  const list = tools.map(({ name, description }) => `- \`${name}\`: ${description}`)
  return [texts.tools.some, '', ...list, '', texts.tools.foot].join('\n')
}

/** A secret is never told, not even whether it is set. */
function listOptions({ options, secretOptions }: ModelRequest, texts: GuideTexts): string {
  const names = Object.keys(options)
  if (names.length === 0) return texts.options.none
  const list = names.map((name) => {
    const isSecret = secretOptions.includes(name)
    return `- \`${name}\`: ${isSecret ? texts.options.secret : quote(options[name] ?? '')}`
  })
  return [texts.options.some, '', ...list, '', texts.options.foot].join('\n')
}

function summarise({ messages }: ModelRequest, texts: GuideTexts): Telling {
  return { thinking: '', text: texts.summary(messages.length, joinSaid(saidIn(messages))), isWhole: true }
}

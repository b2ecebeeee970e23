// The guide understands a message by the words in it that it knows. No grammar, no guessing: the wish with the most
// known words wins; of several, the one that stands first in the list.
import { normalizeText } from '@polylogue/engine'
import { readErrand } from './work/read-errand.ts'
import { TOUR, type PlainWish, type Topic, type Wish } from './topic.ts'

interface KnownWords {
  readonly meant: Topic | PlainWish
  readonly words: RegExp
}

const TOPICS: readonly KnownWords[] = [
  known(
    'work',
    'piece_of_work some_work real_work do_work sub-agent* subagent* planning todo_list todo_lists',
    '子智能体 干活 干点活 做一件事 规划模式',
  ),
  known(
    'about',
    'who_are_you what_are_you what_is_this what_is_polylogue are_you_an_ai are_you_real',
    '你是 这是什么 polylogue是什么',
  ),
  known(
    'crash',
    'crash* kill* restart* durable durability lose* lost losing recover* die dies surviv* reliab*',
    '崩溃 杀 重启 断电 恢复 丢 宕机 可靠 持久',
  ),
  known(
    'long-answer',
    'long* cancel* stop* abort* interrupt* reload* refresh* story reconnect*',
    '长 取消 停 中断 刷新 重新加载 重连 故事',
  ),
  known(
    'side-by-side',
    'parallel* side_by_side at_once several simultaneous* concurrent* same_time two_tools both_tools three_tools',
    '并行 并发 同时 一起 两个 三个 多个',
  ),
  known(
    'asking-tool',
    'note notes approv* permission* permit* allow* deny denied denies consent unsafe keepnote',
    '笔记 记下 记一 批准 审批 允许 拒绝 权限 许可 确认 同意',
  ),
  known('reading-tool', 'time times clock date today readonly read-only currenttime', '时间 几点 日期 今天 时钟 只读'),
  known(
    'agent',
    'my_own your_own our_own own_agent agent agents defin* config* custom* build develop* markdown',
    '智能体 代理 自己的 配置 定义 开发 编写',
  ),
  known(
    'model',
    'model models provider* llm llms gpt* claude gemini openai anthropic google ollama vllm api_key* ai real_answer*',
    '模型 密钥 人工智能 提供商',
  ),
  known(
    'shell',
    'curl api apis http https rest sse cli command_line* terminal shell protocol* aap client* session sessions command*',
    '命令行 终端 接口 协议 脚本 客户端 会话',
  ),
  known('streaming', 'stream* delta deltas word_by_word think* thought* reason* token*', '流式 逐字 思考 推理 实时'),
  known(
    'options',
    'option options setting settings language* pace slow* fast* speed',
    '选项 设置 语言 速度 快点 快一点 慢点 慢一点',
  ),
  known('tools', 'tool tools function functions', '工具 函数'),
]

/** Matched only if nothing more specific matches. */
const COURTESIES: readonly KnownWords[] = [
  known(
    'menu',
    'help menu guide tour try what_can how_do* example* begin start show',
    '帮助 菜单 做什么 会什么 怎么 指南 导览 试 开始 功能',
  ),
  known('farewell', "bye goodbye good_night see_you quit exit that's_all that_is_all", '再见 拜拜 晚安 退出'),
  known('thanks', 'thanks thank thx cheers', '谢谢 感谢 多谢'),
  known(
    'greeting',
    'hello hi hey good_morning good_day good_afternoon good_evening',
    '你好 您好 嗨 哈喽 早上好 下午好 晚上好',
  ),
]

const NEXT = new RegExp(
  '^(?:next|continue|go on|go ahead|proceed|more|yes|yep|y|ok|okay|sure|' +
    '继续|下一步|下一个|下一项|接着|好|好的|好啊|是|是的|可以|行|嗯|对)$',
  'i',
)
const NUMBER = /^(?:#|no|number|option|step|第)?\s*([1-9]|10)\s*(?:项|个|步)?$/i
/** The word alone: in a sentence, things work or do not. */
const WORK = /^(?:work|go to work|工作|开工)$/i
const USE = /^use\s+(\S+)\s*(.*)$/is
const NOTES = [
  /^(?:please\s+)?(?:(?:keep|make|take|write)\s+)?(?:(?:an?|the|this)\s+)?notes?(?:\s+that)?(?=[\s:])(?:\s*:)?\s*(\S.*)$/is,
  /^请?(?:帮我)?(?:记下|记一下|记笔记|写笔记|笔记)[:,，\s]*(\S.*)$/s,
]

/** `offered`: the names of the tools that there are. */
export function recogniseWish(said: string, offered: readonly string[] = []): Wish {
  // Also makes full-width digits and punctuation the usual ones.
  const text = normalizeText(said, 'NFKC').trim()
  const bare = text.replace(/^[\s"'“”`]+|(?<![\s"'“”`.,!?。、)])[\s"'“”`.,!?。、)]+$/g, '')
  if (NEXT.test(bare)) return { type: 'next', word: bare }
  const number = NUMBER.exec(bare)?.[1]
  if (number !== undefined) return toTopic(number)
  if (WORK.test(bare)) return { type: 'topic', topic: 'work', word: bare }
  const path = readErrand(text)
  if (path !== undefined) return { type: 'errand', path }
  const [, tool, json = ''] = USE.exec(said.trim()) ?? []
  if (tool !== undefined && (offered.includes(tool) || json.startsWith('{'))) return { type: 'use', tool, json }
  const note = NOTES.map((pattern) => pattern.exec(text)?.[1]).find((found) => found !== undefined)
  if (note !== undefined) return { type: 'topic', topic: 'asking-tool', detail: note.trim() }
  const wish = byWords(TOPICS, text) ?? byLoneNumber(text) ?? byWords(COURTESIES, text)
  if (wish) return wish
  return tool === undefined ? { type: 'unknown', text } : { type: 'use', tool, json }
}

function byWords(list: readonly KnownWords[], text: string): Wish | undefined {
  const counted = list.map(({ meant, words }) => ({ meant, found: text.match(words) ?? [] }))
  const most = Math.max(...counted.map(({ found }) => found.length))
  const best = counted.find(({ found }) => found.length === most)
  const word = best?.found[0]
  if (best === undefined || word === undefined) return undefined
  if (!isTopic(best.meant)) return { type: best.meant, word }
  return { type: 'topic', topic: best.meant, word, ...(best.meant === 'reading-tool' && { detail: text }) }
}

/** `show me 3` */
function byLoneNumber(text: string): Wish | undefined {
  const [number = '', ...others] = text.match(/\d+/g) ?? []
  return text.length <= 30 && others.length === 0 && /^(?:[1-9]|10)$/.test(number) ? toTopic(number) : undefined
}

function toTopic(number: string): Wish {
  return { type: 'topic', topic: TOUR[Number(number) - 1] ?? TOUR[0] }
}

function isTopic(meant: Topic | PlainWish): meant is Topic {
  return TOUR.some((topic) => topic === meant)
}

/** In both lists a space parts the words. In `latin`, `_` stands for a space and `*` for any ending. */
function known(meant: Topic | PlainWish, latin: string, han: string): KnownWords {
  const words = latin
    .replaceAll('*', String.raw`\w*`)
    .replaceAll(' ', '|')
    .replaceAll('_', String.raw`\s+`)
  return { meant, words: new RegExp(String.raw`\b(?:${words})\b|${han.replaceAll(' ', '|')}`, 'gi') }
}

import { describe, expect, it } from 'vitest'
import { recogniseWish } from './recognise-wish.ts'

/** A topic by its name, anything else by its type. */
function meant(text: string, offered: readonly string[] = []): string {
  const wish = recogniseWish(text, offered)
  return wish.type === 'topic' ? wish.topic : wish.type
}

describe('the guide takes', () => {
  it.each([
    ['streaming', 'How does streaming work?'],
    ['streaming', 'show me how you think'],
    ['streaming', '流式输出是怎么回事'],
    ['reading-tool', 'what time is it?'],
    ['reading-tool', 'Which DATE is it today'],
    ['reading-tool', '现在几点了？'],
    ['asking-tool', 'how do approvals work'],
    ['asking-tool', 'I want to deny something'],
    ['asking-tool', '怎么审批'],
    ['side-by-side', 'can you call two tools at once?'],
    ['side-by-side', 'parallel calls please'],
    ['side-by-side', '同时调用几个工具'],
    ['long-answer', 'what happens when I reload the page'],
    ['long-answer', 'Tell me a long story'],
    ['long-answer', '可以取消吗'],
    ['crash', 'what if the server crashes'],
    ['crash', 'kill -9'],
    ['crash', 'is anything lost after a restart?'],
    ['crash', '崩溃了怎么办'],
    ['shell', 'give me the curl lines'],
    ['shell', 'is there a command line?'],
    ['shell', '用 curl 怎么连'],
    ['model', 'How do I add a real model?'],
    ['model', 'does it work with Ollama'],
    ['model', 'where does my OPENAI API key go'],
    ['model', '怎么换成真正的模型'],
    ['model', 'I have a question about my API key'],
    ['agent', 'how can I write my own agent'],
    ['agent', 'how do I configure it'],
    ['agent', '怎么写自己的智能体'],
    ['work', 'work'],
    ['work', 'Do some work for me'],
    ['work', 'can you use a sub-agent?'],
    ['work', 'what is planning mode'],
    ['work', '干活'],
    ['work', '子智能体是什么'],
    ['tools', 'Which tools do you have?'],
    ['tools', '你有什么工具'],
    ['options', 'speak slower'],
    ['options', '有哪些选项'],
    ['about', 'who are you?'],
    ['about', 'Are you an AI'],
    ['about', '你是谁'],
    ['menu', 'help'],
    ['menu', 'How does it work?'],
    ['menu', 'Hello! What can you do?'],
    ['menu', '你能做什么'],
    ['greeting', 'Hi there'],
    ['greeting', '你好！'],
    ['thanks', 'Thanks a lot'],
    ['thanks', '谢谢'],
    ['farewell', 'ok, thanks, bye'],
    ['farewell', '再见'],
  ])('for %s: %s', (expected, text) => {
    expect(meant(text)).toBe(expected)
  })

  it.each(['next', 'Go on!', 'yes', 'OK.', '继续', '下一步。', '好的'])('for the next part: %s', (text) => {
    expect(meant(text)).toBe('next')
  })

  it.each([
    ['1', 'streaming'],
    [' 3. ', 'asking-tool'],
    ['#4', 'side-by-side'],
    ['６', 'crash'],
    ['第7项', 'shell'],
    ['number 9', 'agent'],
    ['show me 5', 'long-answer'],
    ['10', 'work'],
    ['第10项', 'work'],
  ])('a number of the menu, as in %j', (text, topic) => {
    expect(meant(text)).toBe(topic)
  })

  it.each(['0', '11', 'Write a poem about the sea', 'Was kostet ein Apfel?', '3 x 4', '天气', ''])(
    'nothing out of %j',
    (text) => {
      expect(meant(text)).toBe('unknown')
    },
  )

  it.each([
    ['note: buy milk', 'buy milk'],
    ['Please keep a note that I was here.', 'I was here.'],
    ['记下：买牛奶', '买牛奶'],
  ])('a note from %j', (text, detail) => {
    expect(recogniseWish(text)).toEqual({ type: 'topic', topic: 'asking-tool', detail })
  })

  it('a tool to use, if there is one or the rest is an input', () => {
    expect(recogniseWish('use dice', ['dice'])).toEqual({ type: 'use', tool: 'dice', json: '' })
    expect(recogniseWish('Use dice {"sides": 6}')).toEqual({ type: 'use', tool: 'dice', json: '{"sides": 6}' })
    expect(recogniseWish('use knife')).toMatchObject({ type: 'use', tool: 'knife' })
    expect(meant('use a real model')).toBe('model')
    expect(meant('use ollama')).toBe('model')
  })
})

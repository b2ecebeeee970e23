import type { GuideTexts } from './guide-texts.ts'
import { WORK_ENGLISH } from './work/work-english.ts'

export const ENGLISH: GuideTexts = {
  welcome: `Hello, and welcome to Polylogue, a server that puts an agent behind one API and forgets nothing.

I am the built-in demo: a scripted guide, no AI. I look for words that I know and answer with prepared texts. Everything around me is real: the streaming, the tools, the approvals, and the log on your disk, where your message stood before I saw it.`,

  about: `I am the built-in demo of Polylogue: a scripted guide, no AI. I look for words that I know and answer with prepared texts, in English and in Chinese.

Polylogue is a server for agents. You give it an agent: instructions, a model, tools. It gives you sessions that stream, wait for approvals, and survive crashes, behind one API. I stand in for the model until you name a real one.`,

  menu: {
    head: 'Things to try, all of them offline. Write a number, or say it in your own words:',
    titles: {
      streaming: 'How an answer arrives: streaming and thinking',
      'reading-tool': 'A tool that only reads',
      'asking-tool': 'A tool that needs your yes',
      'side-by-side': 'Several tools side by side',
      'long-answer': 'A long answer: stop it, or reload the page in the middle',
      crash: 'A crash: kill the server with -9, and go on',
      shell: 'The same from a shell: curl and the command line',
      model: 'A real model in my place',
      agent: 'An agent of your own',
      work: 'A whole piece of work: a plan, a question, files, commands, a sub-agent',
    },
    foot: 'In a hurry? `work` shows most of it at once. `next` takes them in order. I also know `tools`, `options`, `use <tool> <json>` and `bye`.',
  },

  topics: {
    streaming: `You are looking at it. First came a paragraph of thinking, if your client shows it. Now comes text, word by word, about thirty a second. A real model does the same at its own pace.

What arrives like this is a preview. When I have finished, the server records the whole answer as one event; whoever opens the session later reads that. And every piece on the way has an id: a client that loses its connection gives the last id it saw and gets the rest, without a gap and without a repeat.`,

    'long-answer': `This takes about half a minute, so that you can disturb it. Stop me with the button, or with Ctrl-C in a terminal: what I have said stays, and the session is ready for your next message. Or reload the page, or open it in a second window: the answer goes on where it is, and every word is there once.`,

    crash: `Now it gets rough. I go on for about half a minute, slowly. Meanwhile kill the server. In another terminal, in the folder where you started it (change the address if yours is another):

    KEY=$(cat .polylogue/local.key)
    STATUS=$(curl -fsS http://127.0.0.1:8020/api/polylogue/status -H "Authorization: Bearer $KEY")
    kill -9 $(echo "$STATUS" | sed 's/.*"pid":\\([0-9]*\\).*/\\1/')

Then start it again with the same command, \`npm start\`. The page finds it by itself and goes on.`,

    shell: `The page uses the same API as everybody else, the Agent Application Protocol. With curl, in the folder where you started the server (change the first lines if it has another address or data directory):

    URL=http://127.0.0.1:8020/aap/v3
    AUTH="Authorization: Bearer $(cat .polylogue/local.key)"
    curl -fsS "$URL/meta" -H "$AUTH"
    AGENT='{"name":"assistant","tools":[{"name":"CurrentTime","trust":true},{"name":"KeepNote"}],"options":{"pace":"fast"}}'
    SESSION=$(curl -fsS "$URL/sessions" -H "$AUTH" -d "{\\"agent\\":$AGENT}" | sed 's/.*"sessionId":"\\([^"]*\\)".*/\\1/')
    curl -fsSN "$URL/sessions/$SESSION/turns" -H "$AUTH" -d '{"stream":"delta","messages":[{"role":"user","content":"2"}]}'
    curl -fsS "$URL/sessions/$SESSION/history?type=full" -H "$AUTH"

Here the client lists the tools of its session and trusts one of them, and it sets an option. README.md goes on from there: approvals, coming back to a stream, cancelling.

The command line talks to the same server, or works without one:

    ./polylogue run "what time is it in Tokyo?"
    ./polylogue sessions list
    ./polylogue doctor

\`./polylogue run "3"\` asks you at the terminal. It prints the id of its session; with \`--session ID\` you go on, there or here.`,

    model: `Set a key before you start the server; then a real model answers in my place:

    ANTHROPIC_API_KEY=... npm start
    OPENAI_API_KEY=... npm start
    GEMINI_API_KEY=... npm start

Without a key: an Ollama that runs on this machine and has a model is found by itself. For any other server that speaks OpenAI's format, say where it is; the first model that it offers is taken:

    OPENAI_BASE_URL=http://127.0.0.1:1234/v1 npm start

If there are several, \`POLYLOGUE_MODEL\` decides, as \`provider/model\`. \`POLYLOGUE_MODEL=demo\` brings me back:

    POLYLOGUE_MODEL=ollama/qwen3 npm start

The first lines that the server prints say which model answers. \`docs/models.md\` has the rest. Sessions outlive their model: this one goes on with the new one. My two small tools stay behind with me.`,

    agent: `Save this as \`polylogue.config.ts\` in the folder where you start the server, and start it again:

    import { defineAgent, defineConfig, defineTool, z } from 'polylogue'

    const rollDice = defineTool({
      name: 'roll_dice',
      description: 'Rolls one die.',
      input: z.object({ sides: z.number().int().min(2) }),
      effect: 'readonly',
      run: ({ input }) => \`You rolled \${1 + Math.floor(Math.random() * input.sides)}.\`,
    })

    export default defineConfig({
      agents: [
        defineAgent({ name: 'gambler', instructions: 'You roll dice.', tools: [rollDice] }),
      ],
    })

There is nothing to install. The agent \`gambler\` then takes the place of \`assistant\`. It has the default model, which is me as long as there is no other; so say \`use roll_dice {"sides": 6}\` to it.

\`effect\` says what the tool does to the world: \`readonly\`, \`idempotent\` or \`unsafe\`. It decides who is asked and what happens after a crash. Agents can be written in Markdown too, as \`agents/NAME.md\`. \`examples/own-agent\` shows both, and \`docs/guide/agents.md\` has every setting.`,
  },

  slow: {
    'long-answer': `Meanwhile, the life of a message.

One. You send it. The server writes it to a log on disk and waits until the disk says that it is there. Only then does your client hear that it was accepted. A message that was accepted cannot be lost.

Two. A turn begins. Only one turn runs in a session at a time; whoever speaks into a running turn is told that it is busy.

Three. The server asks the model, which is me. It gives me the whole conversation, because I remember nothing by myself. What you have seen, I read from there.

Four. My words go out as they come, to everybody who is looking. Nobody has to look: if you close the window now, I still finish. Leaving is not the same as stopping.

Five. While I speak, the server keeps a draft on disk, four times a second at most. That is what a second window sees, and what a crash leaves.

Six. If I call a tool, the call is recorded before it runs. So after a crash the server knows what may have happened, and never guesses.

Seven. When I have finished, one event holds the whole answer, and the draft goes. The turn ends, and everything rests until you speak again.

That was it. If you have not disturbed me, write \`5\` again and try.`,

    crash: `What the new process does. It looks for turns whose process died, and finds this one. It keeps what I had said, up to the last quarter of a second. It does not pretend that my half answer was whole: it notes that it was interrupted, and asks me again. So you will see my beginning twice. A call to a model cannot be taken up in the middle, not even with a real one.

What had been finished stands: earlier answers, earlier tool calls, approvals that wait for you. A tool that was running is run again only if it says that this is harmless. Otherwise I read that the outcome is unknown, and you do too.

If you read this and nobody has killed me, write \`6\` again, with the lines at hand. If somebody has: welcome back. Nothing that you were told has been lost.`,
  },

  calls: {
    'reading-tool': 'I do not know the time, so I call the tool `CurrentTime`. It only reads.',
    'asking-tool':
      'Now something that changes the world a little: `KeepNote` adds a line to a file on the server. That needs ' +
      'somebody’s yes, so this turn waits: for a second or for a month, and through restarts too. Allow it or deny it, ' +
      'both are worth a look. If you write something else instead, the call is called off.',
    'side-by-side':
      'Three calls in one step. Those that may run do so side by side; those that need a yes all wait at the same time.',
  },
  missing: (tool) =>
    `I would call \`${tool}\` now, but this session does not have it. It belongs to the built-in agent \`assistant\`. ` +
    'On the page and under `./polylogue run` a session has all tools of its agent that its mode allows; a client of the API lists ' +
    'those that it wants: `"tools": [{"name": "CurrentTime", "trust": true}, {"name": "KeepNote"}]`, beside the name of the agent.',
  note: 'I have tried an approval.',
  work: WORK_ENGLISH,

  results: {
    answered: (tool, text) => `\`${tool}\` answered: ${text}`,
    time: `What happened: the server recorded my call, ran the tool, recorded its result, and asked me again with the result in hand. Such a round is called a step; a turn may have many.

A tool says what it does to the world. This one is \`readonly\`: on the page and under \`./polylogue run\` it runs without a question, and after a crash it is simply run again. A client of the API decides for itself: for tools that it lists without trust it asks you every time, as the page does where you choose the tools one by one.`,
    timeDenied:
      'You said no, so `CurrentTime` did not run and I still do not know the time. It only reads, so there was nothing ' +
      'to fear. You were asked because the client of this session lists its tools and does not trust this one.',
    noteKept:
      'You said yes, or your client trusts this tool. The yes was good for exactly the input that you saw, and the tool ' +
      'ran once. It is `unsafe`: had the server died meanwhile, the tool would not run again by itself; I would read that ' +
      'the outcome is unknown. The file is in the data directory, usually `.polylogue`.',
    noteDenied: (reason) =>
      `You said no. \`KeepNote\` did not run and nothing was written. All that I get is the sentence “Tool call denied${
        reason === undefined ? '' : `: ${reason}`
      }”; a real model would now look for another way, or ask you why.`,
    tryDenying: 'Write `3` again and say no, to see the other side.',
    tryAllowing: 'Write `3` again and say yes, to see the other side.',
    outcomeUnknown: (tool) =>
      `The server stopped while \`${tool}\` was running. It may have done its work or not, so it was not run again, and I ` +
      'was told so. A real model would look before it tries once more; so should we.',
    failed:
      'That went wrong, and I was told so. The turn goes on all the same: an error of a tool is a result like others.',
    sideBySide:
      'I was asked again only when every call had its result, whether it ran, failed or was denied. A real model decides ' +
      'by itself when to call several at once.',
  },

  use: {
    thinking: (tool) => `I am asked to use ${tool}.`,
    calling: (tool) => `I call \`${tool}\`.`,
    unknown: (tool) => `I was given no tool named \`${tool}\`. Write \`tools\` to see which there are.`,
    badInput: (tool) => `The input must be a JSON object: \`use ${tool} {"name": "value"}\`.`,
  },
  tools: {
    some: 'I was given these tools:',
    none:
      'I was given no tools in this session. A client can enable tools of the agent or declare its own; `defineTool` ' +
      'in `polylogue.config.ts` makes one that runs in the server.',
    foot: '`use <tool> <json>` makes me call one, such as `use CurrentTime {"timeZone": "Asia/Tokyo"}` if I have it.',
  },
  options: {
    some: 'Options are what a client may set for its session. Mine are now:',
    none: 'This agent has no options. `options` in `polylogue.config.ts` gives it some, which a client may set for its session.',
    secret: 'secret',
    foot:
      'A client sets them when it creates a session or takes a turn: `"options": {"pace": "slow", "language": "中文"}` ' +
      'beside the name of the agent. An option that is secret is encrypted on disk and never shown.',
  },

  next: (number, title) => `Next: ${title}. Write \`${number}\` or \`next\`.`,
  finished:
    'That was the whole tour. You have seen what I can show; a real model (`8`) and an agent of your own (`9`) are ' +
    'where it begins. Any number shows you a part again.',
  thanks: 'You are welcome.',
  farewell:
    'Goodbye! This session stays where it is: in the list on the page, and under `./polylogue sessions list`. Come back ' +
    'tomorrow, or after a crash, and I know what you have seen.',
  unknown: (quoted) =>
    `I cannot answer “${quoted}”: I am a scripted guide, no AI, and find none of my words in it. A real model would answer; \`8\` says how to get one.`,
  wordless: 'I found no words in your message, and I can look at nothing else.',
  summary: (count, said) => `${count} messages. The user wrote: ${said}`,

  thinking: {
    topic: (number, word) =>
      word === undefined
        ? `Number ${number} of my tour.`
        : `I look for words that I know, and find “${word}”: number ${number} of my tour.`,
    word: (word) => `I look for words that I know, and find “${word}”.`,
    unknown: 'I find no word that I know in this, and I will not pretend that I do.',
    results: (count) => (count === 1 ? 'The result has come back.' : `All ${count} results have come back.`),
    tourIsOver: 'The tour is over.',
    errand: 'I am a sub-agent and know nothing but my prompt.',
  },
}

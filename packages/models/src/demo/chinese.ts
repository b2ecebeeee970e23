import type { GuideTexts } from './guide-texts.ts'
import { WORK_CHINESE } from './work/work-chinese.ts'

export const CHINESE: GuideTexts = {
  welcome: `你好，欢迎使用 Polylogue：它把一个智能体放在一套 API 后面，并且什么都不会忘记。

我是内置演示：一个按脚本说话的向导，不是 AI。我在你的话里找我认识的词，再用事先写好的文字回答。我周围的一切都是真的：流式输出、工具、审批，还有你磁盘上的日志；在我看到你的消息之前，它已经写在那里了。`,

  about: `我是 Polylogue 的内置演示：一个按脚本说话的向导，不是 AI。我在你的话里找我认识的词，用事先写好的文字回答，会说中文和英文。

Polylogue 是运行智能体的服务器。你给它一个智能体：指令、模型、工具；它给你会话：能流式输出，能等待审批，崩溃之后还在，都在同一套 API 后面。在你指定真正的模型之前，由我代替它。`,

  menu: {
    head: '可以试试下面这些，全部离线。写一个数字，或者用你自己的话说：',
    titles: {
      streaming: '回答是怎样到达的：流式输出和思考',
      'reading-tool': '一个只读的工具',
      'asking-tool': '一个需要你同意的工具',
      'side-by-side': '几个工具同时运行',
      'long-answer': '一段很长的回答：中途停止，或者刷新页面',
      crash: '崩溃：用 kill -9 杀掉服务器，然后继续',
      shell: '在终端里做同样的事：curl 和命令行',
      model: '换上一个真正的模型',
      agent: '写一个自己的智能体',
      work: '完整地做一件事：计划、提问、文件、命令、子智能体',
    },
    foot: '赶时间？写“干活”，一次看到大部分。写“下一步”就按顺序来。我还认识：工具、选项、`use <工具> <json>`、再见。',
  },

  topics: {
    streaming: `你正看着它。先来的是一段思考（如果你的客户端会显示），现在来的是正文，一点一点地来。真正的模型也一样，只是快慢由它自己定。

这样到达的只是预览。等我说完，服务器把整个回答记成一个事件，以后打开这个会话的人读到的就是它。路上的每一小段都有编号：客户端断线之后，报上它看到的最后一个编号，就能拿到余下的部分，不缺也不重复。`,

    'long-answer': `这段话大约要半分钟，好让你来打断它。用按钮让我停下，在终端里用 Ctrl-C：我说过的会留下，会话可以马上接着用。也可以刷新页面，或者再开一个窗口：回答会从现在的地方继续，每个字只出现一次。`,

    crash: `现在来点粗暴的。我会慢慢地接着说，大约半分钟，你趁这时杀掉服务器。另开一个终端，进入你启动它的文件夹（地址不同就改一下）：

    KEY=$(cat .polylogue/local.key)
    STATUS=$(curl -fsS http://127.0.0.1:8020/api/polylogue/status -H "Authorization: Bearer $KEY")
    kill -9 $(echo "$STATUS" | sed 's/.*"pid":\\([0-9]*\\).*/\\1/')

然后用同样的命令 \`npm start\` 再启动它。页面会自己找到它，接着往下走。`,

    shell: `页面用的 API 和大家用的一样，就是 Agent Application Protocol。用 curl，在你启动服务器的文件夹里（地址或数据目录不同，就改头两行）：

    URL=http://127.0.0.1:8020/aap/v3
    AUTH="Authorization: Bearer $(cat .polylogue/local.key)"
    curl -fsS "$URL/meta" -H "$AUTH"
    AGENT='{"name":"assistant","tools":[{"name":"CurrentTime","trust":true},{"name":"KeepNote"}],"options":{"pace":"fast"}}'
    SESSION=$(curl -fsS "$URL/sessions" -H "$AUTH" -d "{\\"agent\\":$AGENT}" | sed 's/.*"sessionId":"\\([^"]*\\)".*/\\1/')
    curl -fsSN "$URL/sessions/$SESSION/turns" -H "$AUTH" -d '{"stream":"delta","messages":[{"role":"user","content":"2"}]}'
    curl -fsS "$URL/sessions/$SESSION/history?type=full" -H "$AUTH"

这里由客户端列出会话可用的工具，信任其中一个，还设置了一个选项。README.zh.md 从这里接着讲：审批、回到中断的流、取消。

命令行连的是同一台服务器；没有服务器时，它自己也能干活：

    ./polylogue run "东京现在几点？"
    ./polylogue sessions list
    ./polylogue doctor

\`./polylogue run "3"\` 会在终端里问你。它会打印会话的编号；用 \`--session 编号\` 可以接着说，在终端或在这里都行。`,

    model: `启动服务器之前设置一个密钥，就会由真正的模型代替我回答：

    ANTHROPIC_API_KEY=... npm start
    OPENAI_API_KEY=... npm start
    GEMINI_API_KEY=... npm start

没有密钥也行：本机上运行着的 Ollama，只要有模型，会被自动找到。其他兼容 OpenAI 格式的服务器，只要说出它在哪里；会用它提供的第一个模型：

    OPENAI_BASE_URL=http://127.0.0.1:1234/v1 npm start

如果有好几个，由 \`POLYLOGUE_MODEL\` 决定，写法是 \`provider/model\`。\`POLYLOGUE_MODEL=demo\` 会把我请回来：

    POLYLOGUE_MODEL=ollama/qwen3 npm start

服务器启动时打印的头几行会说明由哪个模型回答，其余的见 \`docs/models.md\`。会话比模型活得久：这个会话会由新模型接着说下去。我的两个小工具跟我一起留下。`,

    agent: `把下面的内容存成 \`polylogue.config.ts\`，放在你启动服务器的文件夹里，然后重新启动：

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

不需要安装任何东西。之后 \`gambler\` 会取代 \`assistant\`。它用默认模型，在没有别的模型时就是我；所以对它说 \`use roll_dice {"sides": 6}\`。

\`effect\` 说明工具会对外界做什么：\`readonly\`（只读）、\`idempotent\`（重复无妨）或 \`unsafe\`（其他）。它决定要不要问人，以及崩溃之后怎么办。智能体也可以用 Markdown 写，存成 \`agents/NAME.md\`。\`examples/own-agent\` 两种都有，\`docs/guide/agents.md\` 有全部设置。`,
  },

  slow: {
    'long-answer': `趁这个时间，讲讲一条消息的一生。

第一，你把它发出来。服务器把它写进磁盘上的日志，等磁盘确认写好，客户端才会得知消息已被接受。被接受的消息不会丢。

第二，一个回合开始了。一个会话里同时只运行一个回合；在它运行时插话的人会得知现在正忙。

第三，服务器去问模型，也就是我。它把整段对话都给我，因为我自己什么都不记得。你看过哪些内容，我是从对话里读出来的。

第四，我的话一出口就送给每一个正在看的人。没有人看也没关系：你现在关掉窗口，我照样会说完。离开不等于停止。

第五，我说话的时候，服务器在磁盘上保留一份草稿，每秒最多更新四次。第二个窗口看到的、崩溃之后留下的，就是它。

第六，如果我调用工具，调用会先被记录，然后才运行。所以崩溃之后服务器知道可能发生过什么，从不靠猜。

第七，等我说完，一个事件保存整个回答，草稿随之删除。回合结束，一切静候你的下一句话。

讲完了。如果你还没有打断过我，再写一次 \`5\` 试试。`,

    crash: `新的进程会做什么：它寻找那些进程已死的回合，于是找到这一个。我说过的话都留着，最多缺最后四分之一秒。它不会把半截回答当成完整的：它记下这里被打断了，然后重新问我一遍。所以我的开头你会看到两次。对模型的一次调用没法从中间接上，真正的模型也不行。

已经完成的都算数：先前的回答、先前的工具调用、等着你的审批。正在运行的工具，只有声明过重跑无害的才会再运行；否则我会读到“结果未知”，你也会。

如果你读到这里，而没有人杀掉我，就把那几行准备好，再写一次 \`6\`。如果有人动了手：欢迎回来。告诉过你的事，一件都没有丢。`,
  },

  calls: {
    'reading-tool': '我不知道现在几点，所以调用工具 `CurrentTime`。它只读，不改变任何东西。',
    'asking-tool':
      '现在做一件会稍微改变外界的事：`KeepNote` 会在服务器上的一个文件里加一行。这需要有人同意，所以这个回合会等着：' +
      '一秒也好，一个月也好，重启也没关系。允许或者拒绝，两种都值得看看。如果你改写别的话，这次调用就作废。',
    'side-by-side': '一步里有三个调用。可以运行的同时运行；需要同意的同时等着。',
  },
  missing: (tool) =>
    `我本来要调用 \`${tool}\`，可是这个会话没有它。它属于内置的智能体 \`assistant\`。在页面上和 \`./polylogue run\` 里，` +
    '会话有智能体的全部工具，只要模式允许；API 的客户端则要列出它想要的：' +
    '`"tools": [{"name": "CurrentTime", "trust": true}, {"name": "KeepNote"}]`，写在智能体的名字旁边。',
  note: '我试过审批了。',
  work: WORK_CHINESE,

  results: {
    answered: (tool, text) => `\`${tool}\` 的回答：${text}`,
    time: `刚才发生的事：服务器记录了我的调用，运行工具，记录结果，然后带着结果再问我一次。这样的一轮叫一步，一个回合可以有很多步。

工具会声明自己对外界做什么。这一个是 \`readonly\`：在页面上和 \`./polylogue run\` 里不用问就运行，崩溃之后也只是再运行一次。API 的客户端自己做主：它列出而不信任的工具，每次都会问你；如果你在页面上逐个挑选工具，也是这样。`,
    timeDenied:
      '你拒绝了，所以 `CurrentTime` 没有运行，我还是不知道现在几点。它只读，没什么可担心的。之所以问你，是因为这个会话的客户端列出了自己的工具，而没有信任这一个。',
    noteKept:
      '你同意了，或者你的客户端信任这个工具。你的同意只对你看到的那份输入有效，工具只运行了一次。它是 `unsafe`：' +
      '如果服务器当时死掉，它不会自己再运行一次，我会读到“结果未知”。那个文件在数据目录里，通常是 `.polylogue`。',
    noteDenied: (reason) =>
      `你拒绝了。\`KeepNote\` 没有运行，什么都没有写。我得到的只有一句话：“Tool call denied${
        reason === undefined ? '' : `: ${reason}`
      }”。真正的模型这时会另想办法，或者问你为什么。`,
    tryDenying: '再写一次 `3`，这回拒绝它，看看另一面。',
    tryAllowing: '再写一次 `3`，这回允许它，看看另一面。',
    outcomeUnknown: (tool) =>
      `\`${tool}\` 运行的时候服务器停了。它可能做完了，也可能没有，所以没有再运行，并且告诉了我。真正的模型会先看看再决定要不要重试，我们也该这样。`,
    failed: '这次出错了，我也知道了。回合照样继续：工具的错误和别的结果一样，也是结果。',
    sideBySide:
      '每个调用都有了结果之后，服务器才再来问我；运行了、出错了、被拒绝了，都算结果。真正的模型会自己决定什么时候同时调用几个工具。',
  },

  use: {
    thinking: (tool) => `要我使用 ${tool}。`,
    calling: (tool) => `我调用 \`${tool}\`。`,
    unknown: (tool) => `我没有叫 \`${tool}\` 的工具。写“工具”看看有哪些。`,
    badInput: (tool) => `输入必须是一个 JSON 对象：\`use ${tool} {"name": "value"}\`。`,
  },
  tools: {
    some: '我有这些工具：',
    none: '这个会话里我没有工具。客户端可以启用智能体的工具，也可以声明自己的工具；`polylogue.config.ts` 里的 `defineTool` 可以做出在服务器里运行的工具。',
    foot: '`use <工具> <json>` 让我调用其中一个，例如 `use CurrentTime {"timeZone": "Asia/Tokyo"}`（如果我有它）。',
  },
  options: {
    some: '选项是客户端可以为自己的会话设置的东西。我现在的选项：',
    none: '这个智能体没有选项。`polylogue.config.ts` 里的 `options` 可以给它加上，客户端就能为自己的会话设置。',
    secret: '保密',
    foot:
      '客户端在创建会话或开始回合时设置：`"options": {"pace": "slow", "language": "English"}`，写在智能体的名字旁边。' +
      '保密的选项在磁盘上是加密的，永远不会显示。',
  },

  next: (number, title) => `接下来：${title}。写 \`${number}\` 或“下一步”。`,
  finished:
    '全部看完了，我能展示的就是这些。真正的模型（`8`）和你自己的智能体（`9`）才是开始。写任何一个数字，都可以再看一遍。',
  thanks: '不客气。',
  farewell:
    '再见！这个会话会留在这里：在页面的列表里，也在 `./polylogue sessions list` 里。明天再来也好，崩溃之后再来也好，你看过什么，我都知道。',
  unknown: (quoted) =>
    `“${quoted}”我答不上来：我是按脚本说话的向导，不是 AI，在这句话里找不到我认识的词。真正的模型会回答；\`8\` 说明怎样换上一个。`,
  wordless: '你的消息里没有文字，别的东西我看不懂。',
  summary: (count, said) => `共 ${count} 条消息。用户写过：${said}`,

  thinking: {
    topic: (number, word) =>
      word === undefined ? `导览的第 ${number} 项。` : `我找我认识的词，找到了“${word}”：导览的第 ${number} 项。`,
    word: (word) => `我找我认识的词，找到了“${word}”。`,
    unknown: '这里面没有我认识的词，我也不会假装认识。',
    results: (count) => (count === 1 ? '结果回来了。' : `${count} 个结果都回来了。`),
    tourIsOver: '导览结束了。',
    errand: '我是子智能体，除了给我的提示什么都不知道。',
  },
}

import type { WorkTexts } from './work-texts.ts'

export const WORK_CHINESE: WorkTexts = {
  opening: `现在我来做一件小事，用的是真正的模型会用的工具：我问你一个问题，写一页文字，改一处，读一遍，运行两条无害的命令和一条需要你同意的命令，最后一部分交给子智能体。下一步做什么取决于返回的结果，所以哪里想拒绝就拒绝。

这个会话在服务器上有自己的目录，文件工具看不到目录之外的东西。`,
  missing: (tools, isAll) =>
    `${isAll ? '要做事' : '要做完整'}，我需要 ${tools.map((tool) => `\`${tool}\``).join('、')}，可是这个会话没有。原因有两种。` +
    '可能是模式不允许：在规划模式和只读模式里，会改变东西的工具根本不会给我；在页面的对话下方把模式改成 `workspace-write`，' +
    '或者用 `./polylogue run --preset workspace-write "干活"` 开始。也可能是 API 的客户端没有列出它们：' +
    `\`"tools": [${tools.map((tool) => `{"name": "${tool}"}`).join(', ')}]\`，写在智能体的名字旁边。` +
    (isAll ? '' : '其余的我照做。'),
  question: {
    header: '题目',
    question: '我写一页关于什么的文字？',
    options: [
      { label: '大海', description: '宽阔、潮湿，总能写出第一句' },
      { label: '夜里的图书馆', description: '安静，某处亮着一盏灯' },
      { label: '早上的第一杯咖啡', description: '适合清晨' },
    ],
  },
  usualSubject: '大海',
  file: {
    text: (subject) => `# ${subject}

这一页由 Polylogue 的演示写成；它是按脚本说话的向导，不是 AI。
它放在一个会话的目录里，别的会话看不到。

草稿：这一行待会儿要改。
`,
    draft: '草稿：这一行待会儿要改。',
    final: '完成：这一行由 Edit 改过，别的都没有动。',
  },
  commandFor: { list: '看看有哪些文件', where: '看看它们在哪里', stamp: '把时间记到文件里' },
  plan: {
    question: '问写什么',
    write: '写这一页',
    edit: '改其中一行',
    look: '再读一遍并搜索',
    list: '看看目录',
    stamp: '把时间记到文件里',
    'hand-over': '请子智能体看一看',
  },
  before: {
    question: '先提一个问题。它像审批一样等着：一秒也好，一个月也好，重启也没关系。选一个，或者用自己的话回答。',
    write: '现在用 `Write`。在默认的模式里，会话在自己的目录里写文件不用问。',
    edit: '现在用 `Edit`。它替换一段恰好出现一次的文字；你的客户端可以显示差别。',
    look: '现在同时用 `Read` 和 `Grep`。它们只读。',
    list: '现在运行两条命令：`ls -l` 和 `pwd`。它们在一份简短的名单上，只显示东西，所以模式不要求你同意。',
    stamp:
      '现在运行一条会写东西的命令：`date > stamp.txt`。它同样无害，但不在那份名单上，所以需要你同意。你看到的就是将要运行的，一字不差。',
    'hand-over':
      '最后一部分我用 `Agent` 交给子智能体。它是同一个智能体，只是头脑是空的：它只知道我给它的提示，权限最多和我一样；如果它的某个调用必须等待，会在这里问你。',
  },
  chosen: (subject) => `你的回答是“${subject}”。你的回答就是我这次调用的结果，好像你是一个工具。`,
  notChosen: (subject) => `没有能用的回答，所以我写“${subject}”。真正的模型这时也会自己决定，或者再问一次。`,
  done: {
    write: '文件写好了。`Write` 是 `idempotent`：如果服务器当时死掉，只要再做一遍就行。',
    edit: '改好了。`Edit` 是 `unsafe`，因为第二次它会碰到另一段文字；崩溃之后它不会自己再运行。',
    look: '文件现在就是这样。',
    list: '两条都运行了。只有列出工具而不信任它们的客户端才会问你。',
    stamp: '你同意了，或者你的客户端信任 `Bash`，或者你的一条规则允许它。时间记在 `stamp.txt` 里。',
    'hand-over':
      '子智能体回答了，它最后说的话就是我这次调用的结果。它自己的步骤记在这个会话的日志里，但不在我的对话里。',
  },
  denied: (tool) => `你拒绝了，所以 \`${tool}\` 没有运行。没有它还能做的，我接着做。`,
  refused: (tool, words) =>
    `\`${tool}\` 没有问任何人就被拒绝了：“${words}”。这是会话的模式或一条规则的规定。没有它还能做的，我接着做。`,
  failed: (tool, words) => `\`${tool}\` 出错了：“${words}”。错误和别的结果一样，也是结果；没有它还能做的，我接着做。`,
  unknown: (tool) =>
    `\`${tool}\` 运行的时候服务器停了。没有人知道它做完没有，所以没有再运行；我会先看看再决定能不能靠它。`,
  errand: {
    description: '看看这一页',
    prompt: (path) => `你是一个子智能体。请看看 \`${path}\`，用一句话报告它有几行、开头是什么。`,
    looks: (path) => `我是子智能体。我只知道给我的提示，所以我读 \`${path}\`。`,
    found: (path, lines, first) => `${path} 有 ${lines} 行，开头是“${first}”。`,
    failed: (path, words) => `我没能看到 ${path}：“${words}”。`,
    cannotRead: '我没法看：没有给我 `Read` 这个工具。',
  },
  end: {
    head: '事情做完了。结果如下：',
    marks: {
      done: '做好了',
      denied: '你拒绝了',
      refused: '被模式或规则拒绝',
      failed: '出错了',
      unknown: '没有人知道，服务器当时停了',
      left: '没有做',
    },
    file: (path, directory) =>
      directory === undefined
        ? `那一页是这个会话目录里的 \`${path}\`，在数据目录的 \`workspaces\` 下面。`
        : `那一页在服务器上的 \`${directory}/${path}\`。别的会话有它们自己的目录。`,
    noFile: '没有写下任何一页。',
    asked:
      '问了谁，为什么：每个调用在运行之前都要按它会做什么来判断。在 `workspace-write` 模式里，读取以及在自己的目录里写文件是允许的；不在那份简短名单上的命令要问；有些命令不管谁说什么都不行。完整的表在 `docs/permissions.md`，`./polylogue permissions` 可以定你自己的规则。',
    planning:
      '规划模式：在页面的对话下方打开它，或者用 `./polylogue run --preset plan`，再说一次“干活”。这时什么都改不了。真正的模型会四处看看，最后给出计划；你切换回来，它就照商定的去做。',
    again: '再说一次“干活”，换一种回答，就能看到另一面。',
  },
}

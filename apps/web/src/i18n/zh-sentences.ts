/**
 * What the server writes in English, for people: why a call waits, the titles of its own tools, and the descriptions of
 * its own agents. `$1` is a name that stays as it is. It has a longest length, or a long text would take quadratic time.
 * A sentence that is not listed stays in English.
 */
export const ZH_SENTENCES: readonly (readonly [sentence: RegExp, chinese: string])[] = [
  [/The agent asks to run (.{1,999}?) again, outside of the sandbox\./, '智能体请求在沙箱之外再次运行 $1。'],
  [/The server asks to run (.{1,999}?) again, outside of the sandbox\./, '服务器请求在沙箱之外再次运行 $1。'],
  [
    /The sub-agent “(.{1,999}?)” asks to run (.{1,999}?) again, outside of the sandbox\./,
    '子智能体“$1”请求在沙箱之外再次运行 $2。',
  ],
  [/The agent asks to run (.{1,999}?)\.(?= |$)/, '智能体请求运行 $1。'],
  [/The server asks to run (.{1,999}?)\.(?= |$)/, '服务器请求运行 $1。'],
  [/The sub-agent “(.{1,999}?)” asks to run (.{1,999}?)\.(?= |$)/, '子智能体“$1”请求运行 $2。'],
  [/The agent has a question for you\./, '智能体有问题要问你。'],
  [/The server has a question for you\./, '服务器有问题要问你。'],
  [/The sub-agent “(.{1,999}?)” has a question for you\./, '子智能体“$1”有问题要问你。'],
  [
    /^(.{1,999}?) waits for a result from the client that brought the tool\.$/,
    '$1 正在等待提供该工具的客户端给出结果。',
  ],
  [
    /With network: (.{1,999}?)\. The sandbox does not limit it to these hosts\./,
    '可以访问网络：$1。沙箱不会把它限制在这些主机上。',
  ],
  [/With write access to (.{1,999}?)\.(?= |$)/, '可以写入 $1。'],
  [/The session's mode asks before calls like this one\./, '会话的模式要求先询问这类调用。'],
  [/One of your rules asks before this call\./, '你的一条规则要求先询问。'],
  [
    /The client that listed the tools of this session does not trust this one\./,
    '列出本会话工具的客户端不信任这个工具。',
  ],
  [
    /One of your rules allows this tool, but its server has changed its description or schema since\. Look at it, then remove the rule and add it again\./,
    '你的一条规则允许这个工具，但它的服务器后来改了说明或参数。请先查看，再删除并重新添加该规则。',
  ],
  [
    /One of your rules allows this tool, but not what this command needs besides\./,
    '你的一条规则允许这个工具，但不包括这条命令另外需要的权限。',
  ],
  [
    /If you allow it, the same command runs again without the sandbox, with all your rights\./,
    '如果允许，同一条命令会在没有沙箱的情况下以你的全部权限再次运行。',
  ],
  [/Part of this command could not be parsed\. Read it closely\./, '这条命令有一部分无法解析，请仔细阅读。'],
  [/The call touches the protected path (.{1,999}?)\.$/, '这次调用涉及受保护的路径 $1。'],
  [
    /Most words of this text are not yours: a tool result may have written it\./,
    '这段文字大多不是你写的，可能来自某个工具的结果。',
  ],
  [
    /Most words of this text are not yours: they came from a result of (.{1,999}?)\.$/,
    '这段文字大多不是你写的，来自 $1 的结果。',
  ],
  [/This call needs your approval\./, '这次调用需要你的批准。'],
  [/The recorded reason is (.{1,999}?)\.$/, '记录的原因是 $1。'],

  [/^The connection was lost before the server answered\.$/, '服务器回答之前连接断开了。'],

  [/^Ask the user$/, '询问用户'],
  [/^Background command$/, '后台命令'],
  [/^Current time$/, '当前时间'],
  [/^Diagnostics$/, '诊断'],
  [/^Edit$/, '编辑'],
  [/^Fetch a web page$/, '读取网页'],
  [/^Find checkers$/, '查找检查器'],
  [/^Find files$/, '查找文件'],
  [/^Give the answer$/, '给出答案'],
  [/^Keep a note$/, '记笔记'],
  [/^Load a skill$/, '加载技能'],
  [/^Read$/, '读取'],
  [/^Remember$/, '记住'],
  [/^Run a command$/, '运行命令'],
  [/^Schedule$/, '计划任务'],
  [/^Search files$/, '搜索文件'],
  [/^Sub-agent$/, '子智能体'],
  [/^Write the plan$/, '写计划'],
  [/^Write$/, '写入'],

  [/^The built-in agent\.$/, '内置智能体。'],
  [
    /^The built-in agent\. Without a model it is a scripted guide that works offline, not an AI\.$/,
    '内置智能体。没有模型时，它是可离线使用的脚本向导，不是 AI。',
  ],
  [/^Reads, changes and runs the code of a project\.$/, '阅读、修改并运行项目的代码。'],
  [
    /^Does what the last user message tells it to, line by line\. For tests\.$/,
    '逐行执行最后一条用户消息的内容，用于测试。',
  ],
  [/^The same without tools, options and streams\. For tests\.$/, '同上，但没有工具、选项和流，用于测试。'],
]

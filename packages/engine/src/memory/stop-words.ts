/**
 * Words without meaning for recall: those of grammar, asking, counting, giving instructions and asking to remember. A
 * handful of memories is too few to find them by statistics, so they are listed.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `
  a about above add after again against ain all also always am an and any anything are aren as ask at be because been
  before being below between both but by called can cannot change could couldn create day did didn do does doesn doing
  don done down during each else ever every everything explain few first fix for from further get give go going good had
  hadn has hasn have haven having he hello help her here hers herself hi him himself his how however i if in into is isn
  it itself just kind know last let like ll look made make many may maybe me might mine more most much must my myself
  need never new next no nor not nothing now of off often ok okay on once one only or other our out over own please put
  really remember right said same say see shall she should shouldn show so some someone something sometimes still such
  sure take tell than thank thanks that the their them themselves then there these they thing things think this those
  though through time to today together told too try two under until up upon us use used user using usually ve very via
  want was wasn way we well were weren what whatever when where whether which while who whom whose why will with within
  without won work works would write wouldn yes yet you your yourself

  aber als am auch auf aus bei bin bis bitte da das dass dein dem den der des die dies diese dieser doch du ein eine
  einem einen einer er es etwas für hat habe haben hast ich ihm ihn ihr im ist ja kann kein keine mein meine mich
  mir mit nach nicht noch nur ob oder ohne sehr sein seine sich sie sind soll um und uns unter vom von vor wann warum
  wenn wer werden wie wir wird wo zu zum zur über

  au aux avec ce cela ces cette dans de dois du elle en est et être il ils je la le les leur lui ma mais me mes mon ne
  nous on ou où par pas peut plus pour quand que quel quelle qui sa sans se ses si sont sur ta te toi ton tu un une
  vous

  al algo como con cual cuando cómo del donde dónde el ella ello ellos era es esa ese eso esta este esto está hay la las
  lo los más mi mis muy nos o para pero por porque puede que quien qué se ser si sin sobre su sus sí también te
  tiene tu tú un una uno unos usted y ya yo

  我 你 您 他 她 它 咱 我们 你们 您们 他们 她们 它们 咱们 自己 大家 用户 的 地 得 了 着 过 是 不是 在 和 与 跟 或 或者
  而 而且 也 都 就 才 又 再 还 还是 只 只是 不 没 没有 无 别 不要 不会 不能 不用 有 要 想 想要 需要 会 能 能够 可 可以
  可能 应该 应 该 必须 请 请问 请在 请你 帮 帮我 帮忙 让 使 叫 告诉 知道 记住 记得 记 说 看 做 写 用 使用 来 去 到 给 把
  被 对 对于 关于 从 由 向 往 以 为 为了 于 及 以及 等 吗 呢 吧 啊 呀 嘛 哦 嗯 么 什么 怎么 怎样 怎么样 如何 哪 哪里
  哪儿 哪个 什么时候 多久 哪些 谁 何 为什么 为何 多少 多 几 这 那 这个 那个 这些 那些 这里 那里 这样 那样 这么 那么 此
  每 各 某 一 一个 一些 一下 一直 一定 一种 二 三 四 五 六 七 八 九 十 两 个 些 种 件 次 但 但是 不过 因为 所以 如果 若
  虽然 然后 很 太 更 最 非常 比较 真 好 好的 之 之前 之后 以前 以后 前 后 时 时候 上 下 中 里 内 外 间 现在 今天 总是
  永远 始终 从不 所有 任何 其他 其它 另外 东西 事 事情 情况 问题 谢谢 你好

  私 僕 君 今日 何 時 事 人
  `
    .trim()
    .split(/\s+/),
)

/** Short Japanese words in hiragana are grammar. */
const PARTICLE = /^\p{Script=Hiragana}{1,3}$/u
const LETTER = /^[a-z]$/

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word) || PARTICLE.test(word) || LETTER.test(word)
}

import type { WorkTexts } from './work-texts.ts'

export const WORK_ENGLISH: WorkTexts = {
  opening: `I do a small piece of work now, with the tools that a real model would use: I ask you something, write a page about it, change it, read it, run two harmless commands and one that needs your yes, and hand the last part to a sub-agent. What I do next depends on what comes back, so say no wherever you like.

This session has a directory of its own on the server. The tools for files see nothing outside of it.`,
  missing: (tools, isAll) =>
    `${isAll ? 'For a piece of work' : 'For all of it'} I would need ${tools.map((tool) => `\`${tool}\``).join(', ')}, which this ` +
    'session does not have. There are two reasons for that. A mode may rule them out: in planning and in read-only mode ' +
    'I am not even offered tools that change something; set the mode to `workspace-write` below the conversation on the page, or start ' +
    'with `./polylogue run --preset workspace-write "work"`. Or a client of the API has not listed them: ' +
    `\`"tools": [${tools.map((tool) => `{"name": "${tool}"}`).join(', ')}]\` beside the name of the agent.` +
    (isAll ? '' : ' I do the rest.'),
  question: {
    header: 'Subject',
    question: 'What shall I write a page about?',
    options: [
      { label: 'The sea', description: 'Wide, wet, and always good for a first line' },
      { label: 'A library at night', description: 'Quiet, with a lamp somewhere' },
      { label: 'The first cup of coffee', description: 'For early hours' },
    ],
  },
  usualSubject: 'The sea',
  file: {
    text: (subject) => `# ${subject}

This page was written by the demo of Polylogue, which is a scripted guide and no AI.
It lies in the directory of one session, which no other session sees.

Draft: I will change this line.
`,
    draft: 'Draft: I will change this line.',
    final: 'Done: this line was changed by Edit, and nothing else was touched.',
  },
  commandFor: {
    list: 'See which files there are',
    where: 'See where they are',
    stamp: 'Note the time in a file',
  },
  plan: {
    question: 'Ask what to write about',
    write: 'Write the page',
    edit: 'Change a line of it',
    look: 'Read it again and search it',
    list: 'Look at the directory',
    stamp: 'Note the time in a file',
    'hand-over': 'Have a sub-agent look at it',
  },
  before: {
    question:
      'First a question. It waits like an approval: for a second or a month, and through restarts. Choose one, or answer in your own words.',
    write:
      'Now `Write`. Files in its own directory a session may write without asking, in the mode that it has by default.',
    edit: 'Now `Edit`. It replaces a text that is there exactly once; your client can show the difference.',
    look: 'Now `Read` and `Grep`, side by side. They only read.',
    list: 'Now two commands, `ls -l` and `pwd`. They are on a short list of commands that only show something, so the mode does not ask for a yes.',
    stamp:
      'Now a command that writes: `date > stamp.txt`. It is harmless too, but it is not on that list, so it needs your yes. What you see is exactly what will run.',
    'hand-over':
      'The last part I hand to a sub-agent with `Agent`. It is the same agent with a fresh mind: it knows nothing but the prompt that I give it, it has at most my rights, and if one of its calls has to wait, you are asked here.',
  },
  chosen: (subject) => `You answered “${subject}”. Your answer was the result of my call, as if you were a tool.`,
  notChosen: (subject) =>
    `I have no answer that I can use, so I write about “${subject}”. A real model would decide by itself too, or ask again.`,
  done: {
    write: 'The file is there. `Write` is `idempotent`: had the server died meanwhile, it would simply be done again.',
    edit: 'Changed. `Edit` is `unsafe`, because a second time it would find another text; after a crash it would not be run again by itself.',
    look: 'That is what is in the file now.',
    list: 'Both ran. Only a client that lists its tools without trusting them would have asked you.',
    stamp: 'You said yes, or your client trusts `Bash`, or a rule of yours allows it. The time is in `stamp.txt`.',
    'hand-over':
      'The sub-agent has answered, and what it said last is the result of my call. Its own steps are in the log of this session, but not in my conversation.',
  },
  denied: (tool) => `You said no, so \`${tool}\` did not run. I go on with what is possible without it.`,
  refused: (tool, words) =>
    `\`${tool}\` was refused without asking anybody: “${words}”. The mode of the session or a rule says so. I go on with what is possible without it.`,
  failed: (tool, words) =>
    `\`${tool}\` went wrong: “${words}”. An error is a result like others; I go on with what is possible without it.`,
  unknown: (tool) =>
    `The server stopped while \`${tool}\` was running. Nobody knows whether it did its work, so it was not run again, and I look before I rely on it.`,
  errand: {
    description: 'Look at the page',
    prompt: (path) =>
      `You are a sub-agent. Look into \`${path}\` and report in one sentence how many lines it has and how it begins.`,
    looks: (path) => `I am the sub-agent. All I know is my prompt, so I read \`${path}\`.`,
    found: (path, lines, first) => `${path} has ${lines} ${lines === 1 ? 'line' : 'lines'} and begins with “${first}”.`,
    failed: (path, words) => `I could not look into ${path}: “${words}”.`,
    cannotRead: 'I could not look: I was not given the tool `Read`.',
  },
  end: {
    head: 'That was the work. What became of it:',
    marks: {
      done: 'done',
      denied: 'you said no',
      refused: 'refused by the mode or a rule',
      failed: 'went wrong',
      unknown: 'nobody knows, the server stopped meanwhile',
      left: 'left out',
    },
    file: (path, directory) =>
      directory === undefined
        ? `The page is \`${path}\` in the directory of this session, below \`workspaces\` in the data directory.`
        : `The page is \`${directory}/${path}\` on the server. Other sessions have directories of their own.`,
    noFile: 'No page was written.',
    asked:
      'Who was asked, and why: every call is judged right before it runs, by what it would do. Reading, and writing files in the own directory, is allowed in the mode `workspace-write`; a command that is not on the short list is asked for; some are denied whatever anybody says. `docs/permissions.md` has the whole table, and `./polylogue permissions` makes rules of your own.',
    planning:
      'Planning mode: switch it on below the conversation on the page, or with `./polylogue run --preset plan`, and say `work` again. Then nothing can be changed. A real model looks around and ends with a plan; you switch back, and it does what you agreed on.',
    again: 'Say `work` again and answer differently, to see another side of it.',
  },
}

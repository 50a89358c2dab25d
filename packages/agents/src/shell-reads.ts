// Which files a shell command reads, as far as its words say so without any doubt: what `cat`, `head`, `grep` and the like are given.
//
// Agents without a tool for reading do it so. What is not recognised is no read: to count too little makes a landing
// riskier, to count what is no file would make work stale for nothing.
//
//   SR1. A word that the shell would change (a pattern, a variable, a substitution) names no file here.

/** Programs whose plain arguments are files that they read, and their options that take the next word. */
const readers: Readonly<Record<string, readonly string[]>> = {
  cat: [],
  bat: [],
  head: ['-n', '-c'],
  tail: ['-n', '-c'],
  nl: ['-b', '-w', '-s', '-v'],
  less: [],
  more: [],
  wc: [],
};
/** Programs whose first plain argument is a pattern and whose others are files, and their options that take the next word. */
const searchers: readonly string[] = ['grep', 'egrep', 'fgrep', 'rg'];
const searchValued: readonly string[] = ['-A', '-B', '-C', '-m', '-g', '-t', '-T', '--glob', '--type', '--include'];
const shells = /(^|\/)(ba|z|da)?sh$/;

/** Paths as the command names them, in order; a list is the words of one command. */
export function shellReads(command: string | readonly string[]): string[] {
  return typeof command === 'string' ? commandsOf(command).flatMap(readsOf) : readsOf(command);
}

function readsOf(words: readonly string[]): string[] {
  const [program = '', ...rest] = words;
  const script = shells.test(program) && /^-[a-z]*c$/.test(rest[0] ?? '') ? rest[1] : undefined;
  if (script !== undefined) return shellReads(script);
  if (program === 'sed') return sedReads(rest);
  if (searchers.includes(program)) return searchReads(rest);
  const valued = readers[program];
  if (valued === undefined) return [];
  return rest.filter((word, index) => isPath(word) && !valued.includes(rest[index - 1] ?? ''));
}

/** `sed -n 1,20p file` only prints; any other use may be a change. */
function sedReads([option, script = '', ...files]: readonly string[]): string[] {
  return option === '-n' && /^[\d,$]+p$/.test(script) ? files.filter(isPath) : [];
}

/** The files of a search. With `-e` or `-f` the pattern may stand anywhere, so nothing is certain. */
function searchReads(rest: readonly string[]): string[] {
  if (rest.some((word) => /^-[a-zA-Z]*[ef]$/.test(word))) return [];
  const plain = rest.filter((word, index) => !word.startsWith('-') && !searchValued.includes(rest[index - 1] ?? ''));
  return plain.slice(1).filter(isPath);
}

/** (SR1) */
function isPath(word: string): boolean {
  return !/^-|[*?[\]{}$`~<>]/.test(word);
}

/** A redirection, a word with its quotes, or what stands between two commands. */
const parts = /((?<!\S)\d*[<>]+&?\s*[^\s|&;()]*)|((?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\|&;<>()])+)|([|&;()\n]+)/g;

/** The simple commands of a line, each as its words without their quotes. What a here-document holds is no command. */
function commandsOf(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const [, redirection, word, separator] of line.replace(/<<[\s\S]*$/, '').matchAll(parts)) {
    if (redirection !== undefined) continue;
    if (word !== undefined) commands.at(-1)?.push(unquoted(word));
    else if (separator !== undefined) commands.push([]);
  }
  return commands;
}

function unquoted(word: string): string {
  return word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g, (_, double, single, escaped) =>
    double === undefined ? (single ?? escaped) : double.replace(/\\(["\\$`])/g, '$1'),
  );
}

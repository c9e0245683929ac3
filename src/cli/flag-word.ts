/** A word of the command line that is a flag, with the value that it contains: `--kind=Order`, `-o`. */
export interface FlagWord {
  /** With its dashes. */
  readonly flag: string;
  readonly value: string | undefined;
}

/** Reads a word; undefined for what is not a flag. */
export function readFlagWord(word: string): FlagWord | undefined {
  const [, flag, value] = /^(--?[^=-][^=]*)(?:=(.*))?$/su.exec(word) ?? [];
  return flag === undefined ? undefined : { flag, value };
}

/** Whether one of these flags is among the words. */
export function isTyped(words: readonly string[], ...flags: readonly string[]): boolean {
  return words.some((word) => flags.includes(readFlagWord(word)?.flag ?? ""));
}

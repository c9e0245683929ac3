/**
 * Restores the line breaks of a built-in type's description in its Go source: at the end of each sentence, and at two
 * places within one. Published documents have such texts on one line, but controller-gen reads the source.
 */
export function breakLines(text: string | undefined): string | undefined {
  return text?.replaceAll(/(?<=[.]) (?=[^ ])/gu, "\n").replaceAll(insideSentences, "\n");
}

/** The text after a line break within a sentence, in the descriptions of TypeMeta and Condition. */
const insideSentences =
  / (?=may reject unrecognized values|with respect to the current state|and whether the values are considered)/gu;

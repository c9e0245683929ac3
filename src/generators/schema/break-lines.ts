/**
 * Breaks the text of a type of Kubernetes' own into the lines it has in its Go source: at the end of each sentence,
 * and at two places inside of one. Published documents have such texts on one line; controller-gen reads the source.
 */
export function breakLines(text: string | undefined): string | undefined {
  return text?.replaceAll(/(?<=[.]) (?=[^ ])/gu, "\n").replaceAll(insideSentences, "\n");
}

/** What follows a line break in the middle of a sentence, in the texts of TypeMeta and Condition. */
const insideSentences =
  / (?=may reject unrecognized values|with respect to the current state|and whether the values are considered)/gu;

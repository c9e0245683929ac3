/** A phrase that a native speaker wouldn't write, and what Kubernetes or TypeScript call it. */
export interface Phrase {
  readonly phrase: RegExp;
  readonly write: string;
}

/** The words to use are in LANGUAGE.md. */
export const phrases: readonly Phrase[] = [
  { phrase: /unless (?:said|told) otherwise/iu, write: "Default: X" },
  { phrase: /\boff unless\b/iu, write: "Default: false" },
  { phrase: /\bthe definition of (?:a|the) kind\b/iu, write: "CRD" },
  { phrase: /\bproject's definitions\b/iu, write: "CRDs" },
  { phrase: /\bsomebody else's\b/iu, write: "third-party, external, or of another owner" },
  { phrase: /\bfiles? again that (?:is|are) there\b/iu, write: "overwrite existing files" },
  { phrase: /\bleav(?:e|ing) (?:it|them|\S+) away\b/iu, write: "omit" },
  { phrase: /\bleave it out\b/iu, write: "omit it" },
  { phrase: /\btell(?:s)? about this command\b/iu, write: "show help" },
  { phrase: /\bwhoever keeps the\b/iu, write: "the administrator of the" },
  { phrase: /\bnobody is here to ask\b/iu, write: "there is no terminal for confirmation" },
  { phrase: /\bwas not taken in\b/iu, write: "could not be cached" },
  { phrase: /\bmend (?:it|them|the)\b/iu, write: "fix" },
  { phrase: /\blicence\b/iu, write: "license" },
  { phrase: /\b(?:carryOut|takeAway|layOver|takeBack)\b/u, write: "apply, delete or merge" },
  { phrase: /\bthe answer (?:stops|ends) it\b/iu, write: "returns a function that stops it" },
  { phrase: /\bputs? (?:\w+ ){1,4}into force\b/iu, write: "binds, enables or applies" },
  { phrase: /\bplug-ins?\b/iu, write: "plugin" },
  { phrase: /\bTells whether\b/u, write: "Returns true if" },
  { phrase: /\bis no (?:path|list|number|object|map|string|address)\b/iu, write: "is not a" },
  { phrase: /(?<!there )\bis no (?:field|function|certificate|schedule|flag|header)\b/iu, write: "is not a" },
  { phrase: /\bis no (?:JSON|YAML|CEL|RE2|JSDoc|text)\b/iu, write: "is not" },
  { phrase: /\bis nobody's\b/iu, write: "has no owner, or is not held" },
  { phrase: /\b(?:comes?|came) to own\b/iu, write: "owns" },
  { phrase: /\bbrings? along\b/iu, write: "includes" },
  { phrase: /\bhands? (?:it|them) along\b/iu, write: "passes" },
  { phrase: /\bleaves? its argument alone\b/iu, write: "doesn't modify its argument" },
  { phrase: /\bin step with\b/iu, write: "in sync with" },
  { phrase: /\bin the eyes of\b/iu, write: "for" },
  { phrase: /\bwhat (?:it|they|this) came to\b/iu, write: "the result" },
  { phrase: /\bSurroundings\b/u, write: "a name that says what it holds: options, context, inputs" },
];

/** A sentence for each phrase in a text, with its place and what to write instead. */
export function explainLanguage(file: string, text: string): string[] {
  return phrases.flatMap(({ phrase, write }) => {
    const acrossLines = new RegExp(phrase.source.replaceAll(" ", String.raw`[\s*/#]+`), `${phrase.flags}g`);
    return [...text.matchAll(acrossLines)].map(({ 0: found, index }) => {
      const line = text.slice(0, index).split("\n").length;
      return `${file}:${line} says "${found.replaceAll(/[\s*/#]+/gu, " ")}": write ${write}`;
    });
  });
}

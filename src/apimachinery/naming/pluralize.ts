import { abbreviations, wordEndings, irregularWords } from "./plural-rules.ts";

/** Returns the plural of a lower-case kind, as kubebuilder and controller-gen do: `proxy` becomes `proxies`. */
export function pluralize(singular: string): string {
  const { words, plurals, endings } = (rules ??= readRules());
  const known = words.get(singular);
  if (known !== undefined) return known;
  if (plurals.has(singular)) return singular;
  for (const [ending, plural] of endings) {
    if (singular.endsWith(plural)) return singular;
    if (singular.endsWith(ending)) return singular.slice(0, singular.length - ending.length) + plural;
  }
  return singular.endsWith("s") ? singular : `${singular}s`;
}

interface Rules {
  readonly words: ReadonlyMap<string, string>;
  readonly plurals: ReadonlySet<string>;
  readonly endings: readonly (readonly [string, string])[];
}

let rules: Rules | undefined;

function readRules(): Rules {
  const words = new Map(readPairs(abbreviations));
  const plurals = new Set<string>();
  const endings = readPairs(wordEndings);
  for (const entry of split(irregularWords)) {
    const [, singular = "", mark, plural = "", alternative] =
      /^(\w+)([=!>])(\w+)(?:\/(\w+))?$/u.exec(entry) ?? [];
    words.set(singular, plural);
    if (mark !== ">") plurals.add(plural);
    if (mark !== ">" && alternative !== undefined) plurals.add(alternative);
    if (mark !== "!") endings.unshift([singular, plural]);
  }
  return { words, plurals, endings };
}

function readPairs(text: string): [string, string][] {
  return split(text).map((pair) => {
    const [word = "", plural = ""] = pair.split("=");
    return [word, plural];
  });
}

function split(text: string): string[] {
  return text.trim().split(/\s+/u);
}

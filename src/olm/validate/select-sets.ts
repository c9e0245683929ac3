import { TsbuilderError } from "../../shared/errors.ts";
import { didYouMean } from "../../shared/text.ts";
import { optionalSets, type OptionalSet } from "./rules.ts";

const all = Object.keys(optionalSets) as OptionalSet[];

/** The optional sets that words such as `name=community`, `community` or `suite=operatorframework` select. */
export function selectSets(words: readonly string[]): OptionalSet[] {
  return [...new Set(words.flatMap(select))];
}

function select(word: string): readonly OptionalSet[] {
  if (word === "suite=operatorframework") return all;
  const name = word.replace(/^name=/u, "");
  const found = all.find((set) => set === name || `${set}v2` === name);
  if (found) return [found];
  const meant = didYouMean(name, all);
  throw new TsbuilderError(`there is no optional set of rules "${word}"`, {
    code: "INVALID_ARGUMENT",
    hint:
      meant === undefined
        ? "tsbuilder bundle validate --list-optional lists them; suite=operatorframework selects all"
        : `did you mean name=${meant}?`,
  });
}

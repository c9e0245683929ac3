import { isObject } from "../json/index.ts";

/** The most values that are tried while one is shrunk. */
const mostTries = 600;

/** Removes and simplifies parts of a value as long as it remains one that is wanted. */
export function shrinkValue<T extends object>(value: T, isWanted: (smaller: T) => boolean): T {
  let smallest = value;
  let tries = 0;
  for (let isSmaller = true; isSmaller && tries < mostTries;) {
    isSmaller = false;
    for (const candidate of candidates(smallest)) {
      if (++tries >= mostTries) break;
      if (!isWanted(candidate as T)) continue;
      smallest = candidate as T;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

function* candidates(value: object): Generator {
  yield* withSimplerTexts(value);
  yield* smaller(value);
}

/** Yields copies in which a text is another one wherever it stands: some texts must be equal. */
function* withSimplerTexts(value: object): Generator {
  const json = JSON.stringify(value);
  const texts = new Set(
    [...json.matchAll(/(?<=[:[,])"(?:[^"\\]|\\.){2,}"(?=[,\]}])/gu)].map(([text]) => text),
  );
  for (const text of [...texts].slice(0, 20)) yield JSON.parse(json.replaceAll(text, '"a"'));
}

/** Yields copies of a value with one part less, or a simpler one. Of long lists and objects only the first parts change. */
function* smaller(value: unknown): Generator {
  if (Array.isArray(value)) {
    if (value.length > 4) yield value.slice(0, Math.ceil(value.length / 2));
    if (value.length > 1) yield value.slice(0, 1);
    for (const index of value.keys()) if (value.length < 20) yield value.toSpliced(index, 1);
    for (const [index, item] of value.slice(0, 20).entries())
      for (const less of smaller(item)) yield value.with(index, less);
  } else if (isObject(value)) {
    for (const key of Object.keys(value).slice(0, 60)) {
      const { [key]: inner, ...others } = value;
      yield others;
      for (const less of smaller(inner)) yield { ...value, [key]: less };
    }
  } else if (typeof value === "string") {
    if (value.length > 1) yield "a";
    if (/[^a]/u.test(value)) yield "a".repeat(value.length);
    if (value.length > 1) yield value.slice(0, Math.ceil(value.length / 2));
    if (value.length > 1) yield value.slice(0, -1);
  } else if (typeof value === "number" && value !== 0) {
    yield 0;
    if (Math.abs(value) > 1) yield Math.trunc(value / 2);
    if (Math.abs(value) >= 1) yield value - Math.sign(value);
  }
}

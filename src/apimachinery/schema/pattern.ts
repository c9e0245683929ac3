import { RE2JS } from "re2js";

/** A compiled `pattern`; with an `error`, nothing matches. */
export interface Pattern {
  readonly error?: string;
  test(value: string): boolean;
}

const cache = new Map<string, Pattern>();
const maxCached = 2000;

/**
 * Compiles a pattern as RE2, as the API server does: linear time, no look-around, no back-references.
 * Unanchored: a pattern for the whole value needs `^` and `$`.
 */
export function compilePattern(source: string): Pattern {
  const cached = cache.get(source);
  if (cached) return cached;
  if (cache.size >= maxCached) cache.clear();
  const compiled = compile(source);
  cache.set(source, compiled);
  return compiled;
}

function compile(source: string): Pattern {
  const error = patternError(source);
  if (error !== undefined) {
    return { error: `${source}, but pattern is invalid: error parsing regexp: ${error}`, test: () => false };
  }
  const compiled = RE2JS.compile(source);
  return { test: (value) => compiled.test(value) };
}

/** Returns the error of a pattern in the words of Go's parser, or undefined. */
export function patternError(source: string): string | undefined {
  if (isCommonSyntax(source)) return undefined;
  try {
    RE2JS.compile(source);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : String(error);
  }
}

/** The syntax that RE2 and JavaScript share. */
const commonSyntax = (() => {
  const plain = String.raw`-\w .,:;/@%&=!~"'#<>`;
  const escaped = String.raw`\\[dDwWsS.+*?()[\]{}|^$/\\]`;
  const classes = String.raw`\[\^?(?:[${plain}+*?(){}|$]|${escaped})+\]`;
  const groups = String.raw`\(\?:|\((?!\?)|[)|^$+*?]`;
  return new RegExp(`^(?:[${plain}]|${escaped}|${classes}|${groups})*$`);
})();

/**
 * Returns true if RE2 and JavaScript read a pattern alike: it has only syntax that both share, and JavaScript's parser,
 * which is faster by far, accepts it. Most patterns are of this kind.
 */
function isCommonSyntax(source: string): boolean {
  // RE2 limits the depth of groups; a short pattern can't reach it.
  if (source.length > 1000 || !commonSyntax.test(source)) return false;
  try {
    return new RegExp(source, "u").unicode;
  } catch {
    return false;
  }
}

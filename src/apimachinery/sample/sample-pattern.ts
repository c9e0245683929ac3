import type { Random } from "./random.ts";

/**
 * Returns a text that a pattern is likely to match, in which parts without an upper bound are repeated at most `most` times more
 * than they must be. Assertions and flags are ignored, so the caller must check the text.
 */
export function samplePattern(source: string, random: Random, most: number): string {
  return new PatternReader(source, most).read()(random);
}

/** Beyond this, nothing is repeated more often than it must be: repetitions in repetitions would make texts without end. */
const longestText = 10_000;

/** Writes a text that a part of a pattern matches. */
type Writer = (random: Random) => string;

/** Reads an RE2 pattern, as far as CRDs use the syntax. */
class PatternReader {
  readonly #source: string;
  readonly #most: number;
  #at = 0;

  constructor(source: string, most: number) {
    this.#source = source;
    this.#most = most;
  }

  /** Reads alternatives, up to the end of their group. */
  read(): Writer {
    const alternatives: Writer[] = [this.#sequence()];
    while (this.#skip("|")) alternatives.push(this.#sequence());
    return (random) => random.pick(alternatives)(random);
  }

  #sequence(): Writer {
    const parts: Writer[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at]!)) {
      const part = this.#atom();
      const [low, high] = this.#count();
      parts.push((random) => {
        const times = random.integer(low, high);
        let text = "";
        for (let time = 0; time < times && (time < low || text.length < longestText); time++)
          text += part(random);
        return text;
      });
    }
    return (random) => parts.map((part) => part(random)).join("");
  }

  #atom(): Writer {
    if (this.#skip("(")) {
      this.#match(/\?(?:P?<\w+>|[a-zA-Z-]*:|[a-zA-Z-]*(?=\)))/y);
      const group = this.read();
      this.#skip(")");
      return group;
    }
    if (this.#skip("[")) return this.#class();
    const escaped = this.#match(/\\(?:x\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|[pP]\{\w+\}|[pP].|.)/y);
    if (escaped) return fromCharacters(charactersOf(escaped));
    const letter = this.#source[this.#at++]!;
    if (letter === "^" || letter === "$") return () => "";
    return letter === "." ? fromCharacters(alphanumeric) : () => letter;
  }

  #class(): Writer {
    const isNegated = this.#skip("^");
    let members = this.#skip("]") ? "]" : "";
    while (this.#at < this.#source.length && !this.#skip("]")) {
      const posixClass = this.#match(/\[:\^?\w+:\]/y);
      if (posixClass) {
        members += posixClass.includes("digit") ? digits : posixClass.includes("upper") ? upper : lower;
        continue;
      }
      const range = this.#match(/(?:\\x[0-9a-fA-F]{2}|\\.|[^\]\\])-(?:\\x[0-9a-fA-F]{2}|\\.|[^\]\\])/y);
      if (range) {
        const [low, high] = splitRange(range);
        for (let code = low; code <= high && members.length < 500; code++)
          members += String.fromCharCode(code);
        continue;
      }
      const member = this.#match(/\\(?:x[0-9a-fA-F]{2}|[pP]\{\w+\}|[pP].|.)|[^\]]/y);
      if (!member) break;
      members += member.startsWith("\\") ? charactersOf(member) : member;
    }
    if (!isNegated) return fromCharacters(members);
    return fromCharacters(
      Array.from(`${alphanumeric}-_.`)
        .filter((letter) => !members.includes(letter))
        .join(""),
    );
  }

  /** Reads the bounds of a repetition. */
  #count(): readonly [number, number] {
    const count = this.#match(/[*+?]\??|\{\d+(?:,\d*)?\}\??/y);
    if (!count) return [1, 1];
    if (count.startsWith("*")) return [0, this.#most];
    if (count.startsWith("+")) return [1, this.#most];
    if (count.startsWith("?")) return [0, 1];
    const [low = "0", high] = count.replaceAll(/[{}?]/g, "").split(",");
    const least = Number(low);
    if (high === undefined) return [least, least];
    const most = least + this.#most;
    return [least, high === "" ? most : Math.min(Number(high), most)];
  }

  #skip(letter: string): boolean {
    if (this.#source[this.#at] !== letter) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#source) ?? [];
    this.#at += found?.length ?? 0;
    return found;
  }
}

const digits = "0123456789";
const lower = "abcdefghijklmnopqrstuvwxyz";
const upper = lower.toUpperCase();
const alphanumeric = lower + digits;

function fromCharacters(characters: string): Writer {
  return (random) => (characters === "" ? "" : random.pick(Array.from(characters)));
}

function splitRange(range: string): readonly [number, number] {
  const [low = "", high = ""] = range.match(/\\x[0-9a-fA-F]{2}|\\.|[^\\]/g)!.filter((_, at) => at !== 1);
  return [charactersOf(low).charCodeAt(0), charactersOf(high).charCodeAt(0)];
}

/** Returns the characters that an escape, or a plain character, stands for. */
function charactersOf(written: string): string {
  if (!written.startsWith("\\")) return written;
  const code = /^\\x\{?([0-9a-fA-F]+)\}?$/.exec(written)?.[1];
  if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
  const kind = written[1]!;
  const classes: Readonly<Record<string, string>> = {
    d: digits,
    w: `${alphanumeric}_`,
    s: " ",
    D: lower,
    W: "-",
    S: alphanumeric,
    n: "\n",
    t: "\t",
    r: "\r",
    b: "",
    B: "",
    A: "",
    z: "",
    p: /u/i.test(written.slice(2)) ? upper : lower,
    P: digits,
  };
  return classes[kind] ?? kind;
}

// Go's view of JSON texts: why one is malformed or nested too deeply, and which of its fields are duplicate or unknown.
// `JSON.parse` reads the values.

/**
 * Explains why a text is not valid JSON, in the words of Go's decoder, which clients and their tests look for:
 * `invalid character 'x' looking for beginning of value`, `unexpected end of JSON input`.
 */
export function explainJSON(text: string): string {
  const scanner = new Scanner(text);
  try {
    scanner.value();
    scanner.end();
    return "invalid JSON";
  } catch (error) {
    if (error instanceof InvalidJSONError) return error.message;
    throw error;
  }
}

class InvalidJSONError extends Error {}

const literals = ["true", "false", "null"];

/** The limit of nested objects and arrays: 10,000 in Go, but recursive functions have a smaller stack here. */
const maxDepth = 2000;

/** Walks through a text by Go's grammar until the first error, which it throws. */
class Scanner {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): void {
    this.#skipSpace();
    const char = this.#text[this.#at];
    if (char === "{") return this.#object();
    if (char === "[") return this.#array();
    if (char === '"') return this.#string();
    if (char !== undefined && /[-0-9]/.test(char)) return this.#number();
    const literal = literals.find((word) => word[0] === char);
    if (literal === undefined) throw this.#problem("looking for beginning of value");
    return this.#literal(literal);
  }

  end(): void {
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#problem("after top-level value");
  }

  #object(): void {
    this.#enter();
    this.#at++;
    this.#skipSpace();
    if (this.#take("}")) return this.#leave();
    for (;;) {
      this.#skipSpace();
      if (this.#text[this.#at] !== '"') throw this.#problem("looking for beginning of object key string");
      this.#string();
      this.#skipSpace();
      if (!this.#take(":")) throw this.#problem("after object key");
      this.value();
      this.#skipSpace();
      if (this.#take("}")) return this.#leave();
      if (!this.#take(",")) throw this.#problem("after object key:value pair");
    }
  }

  #array(): void {
    this.#enter();
    this.#at++;
    this.#skipSpace();
    if (this.#take("]")) return this.#leave();
    for (;;) {
      this.value();
      this.#skipSpace();
      if (this.#take("]")) return this.#leave();
      if (!this.#take(",")) throw this.#problem("after array element");
    }
  }

  #string(): void {
    this.#at++;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) throw this.#problem("");
      if (char < " ") throw this.#problem("in string literal");
      this.#at++;
      if (char === '"') return;
      if (char !== "\\") continue;
      if (!/["\\/bfnrtu]/.test(this.#text[this.#at] ?? "")) throw this.#problem("in string escape code");
      if (this.#text[this.#at++] !== "u") continue;
      for (const end = this.#at + 4; this.#at < end; this.#at++)
        if (!/[\da-f]/i.test(this.#text[this.#at] ?? ""))
          throw this.#problem("in \\u hexadecimal character escape");
    }
  }

  #number(): void {
    const number = /^-?(?:(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)?/.exec(this.#text.slice(this.#at))![0];
    this.#at += number.length;
    if (!/\d$/.test(number)) throw this.#problem("in numeric literal");
  }

  /** Enters an object or array; throws as Go does when the nesting is too deep. */
  #enter(): void {
    this.#depth++;
    if (this.#depth > maxDepth) throw this.#problem("exceeded max depth");
  }

  #leave(): void {
    this.#depth--;
  }

  #literal(word: string): void {
    for (const expected of word) {
      if (this.#text[this.#at] !== expected)
        throw this.#problem(`in literal ${word} (expecting '${expected}')`);
      this.#at++;
    }
  }

  #skipSpace(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #problem(where: string): InvalidJSONError {
    const char = this.#text[this.#at];
    if (char === undefined) return new InvalidJSONError("unexpected end of JSON input");
    const code = char.charCodeAt(0);
    if (code >= 0x7f && code < 0xa0)
      return new InvalidJSONError(`invalid character '\\u${code.toString(16).padStart(4, "0")}' ${where}`);
    const quoted = char === "'" ? "\\'" : char === '"' ? '"' : JSON.stringify(char).slice(1, -1);
    return new InvalidJSONError(`invalid character '${quoted}' ${where}`);
  }
}

/** Returns true if a text is nested deeper than the server accepts. */
export function isTooDeep(text: string): boolean {
  if (text.length <= 2 * maxDepth) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
    if (depth > maxDepth) return true;
  }
  return false;
}

/**
 * Lists the strict decoding errors of a JSON text in the order of the text: duplicate keys, and the given unknown fields.
 * `JSON.parse` keeps the last of two equal keys without an error.
 */
export function findFieldProblems(text: string, unknown: readonly string[]): string[] {
  const remaining = new Set(unknown);
  const problems: string[] = [];
  const onKey = (path: string, isDuplicate: boolean) => {
    if (remaining.delete(path)) problems.push(`unknown field ${JSON.stringify(path)}`);
    else if (isDuplicate) problems.push(`duplicate field ${JSON.stringify(path)}`);
  };
  walkKeys(text, onKey);
  const rest = [...remaining].map((path) => `unknown field ${JSON.stringify(path)}`);
  return [...new Set([...problems, ...rest])];
}

/** An open object with its keys, or an open array with its index. */
interface Frame {
  readonly path: string;
  readonly keys: Set<string> | undefined;
  key: string | undefined;
  index: number;
}

/** Calls `onKey` for each key of a valid text, with its path, such as `spec.ports[0].name`. */
function walkKeys(text: string, onKey: (path: string, isDuplicate: boolean) => void): void {
  const frames: Frame[] = [];
  for (let at = 0; at < text.length; at++) {
    const frame = frames.at(-1);
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
        frames.push({ path: childPath(frame), keys: new Set(), key: undefined, index: 0 });
        break;
      case 0x5b: // [
        frames.push({ path: childPath(frame), keys: undefined, key: undefined, index: 0 });
        break;
      case 0x7d: // }
      case 0x5d: // ]
        frames.pop();
        break;
      case 0x2c: // ,
        if (frame!.keys) frame!.key = undefined;
        else frame!.index++;
        break;
      case 0x22: {
        const end = endOfString(text, at);
        if (frame?.keys && frame.key === undefined) readKey(frame, text.slice(at, end + 1), onKey);
        at = end;
        break;
      }
    }
  }
}

function readKey(frame: Frame, literal: string, onKey: (path: string, isDuplicate: boolean) => void): void {
  const key = literal.includes("\\") ? (JSON.parse(literal) as string) : literal.slice(1, -1);
  frame.key = key;
  const path = frame.path === "" ? key : `${frame.path}.${key}`;
  onKey(path, frame.keys!.has(key));
  frame.keys!.add(key);
}

function childPath(frame: Frame | undefined): string {
  if (!frame) return "";
  if (!frame.keys) return `${frame.path}[${frame.index}]`;
  return frame.path === "" ? frame.key! : `${frame.path}.${frame.key!}`;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

const typeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The error of Go's decoder for a value in place of an object with a kind. */
export function noTypeMeta(value: unknown): string {
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(value)} into Go value of type ${typeMeta}`;
}

/** The name of a value's JSON type in Go's errors. */
export function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

import { compareText } from "../text/index.ts";
import { checkQualifiedName } from "../naming/index.ts";
import { type Operator, type Requirement, checkRequirement, invalid } from "./requirement.ts";

/**
 * Parses a label selector: `app=web,tier in (a,b),!legacy`. The result is sorted by key.
 * @throws TypeError with the API server's message
 */
export function parseLabelSelector(text: string): Requirement[] {
  const parser = new Parser(tokenize(text));
  return parser.parse().sort((a, b) => compareText(a.key, b.key));
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    if (this.#peek().kind === "end") return requirements;
    if (!this.#startsRequirement()) throw this.#unexpected("!, identifier, or 'end of string'");
    for (;;) {
      requirements.push(this.#requirement());
      const { kind, text } = this.#take();
      if (kind === "end") return requirements;
      if (text !== ",") throw new TypeError(`found '${text}', expected: ',' or 'end of string'`);
      if (!this.#startsRequirement()) throw this.#unexpected("identifier after ','");
    }
  }

  #peek(): Token {
    return this.#tokens[this.#at]!;
  }

  /** At the end, returns the end token again. */
  #take(): Token {
    const token = this.#peek();
    if (token.kind !== "end") this.#at++;
    return token;
  }

  #startsRequirement(): boolean {
    return this.#peek().kind === "identifier" || this.#peek().text === "!";
  }

  #unexpected(expected: string): TypeError {
    return new TypeError(`found '${this.#peek().text}', expected: ${expected}`);
  }

  #requirement(): Requirement {
    try {
      return this.#readRequirement();
    } catch (error) {
      throw new TypeError(`unable to parse requirement: ${(error as Error).message}`, { cause: error });
    }
  }

  #readRequirement(): Requirement {
    const isAbsent = this.#peek().text === "!";
    if (isAbsent) this.#at++;
    if (this.#peek().kind !== "identifier") throw this.#unexpected("identifier");
    const key = this.#take().text;
    // Go prints a nil path as <nil>.
    fail(invalid("<nil>", key, checkQualifiedName(key)));
    if (isAbsent) return { key, operator: "!", values: [] };
    if (this.#peek().kind === "end" || this.#peek().text === ",")
      return { key, operator: "exists", values: [] };
    const operator = this.#operator();
    const values = operator === "in" || operator === "notin" ? this.#list() : [this.#value()];
    const requirement: Requirement = { key, operator, values: [...new Set(values)].sort() };
    fail(checkRequirement(requirement));
    return requirement;
  }

  #operator(): Operator {
    const operator = operators[this.#peek().text];
    if (operator === undefined) throw this.#unexpected("in, notin, =, ==, !=, gt, lt");
    this.#at++;
    return operator;
  }

  /** Nothing after an operator is the empty value. */
  #value(): string {
    if (this.#peek().kind === "end" || this.#peek().text === ",") return "";
    if (this.#peek().kind !== "identifier") throw this.#unexpected("identifier");
    return this.#take().text;
  }

  /** `(a,b)`; nothing between commas is the empty value. */
  #list(): string[] {
    if (this.#peek().text !== "(") throw new TypeError(`found '${this.#peek().text}' expected: '('`);
    this.#at++;
    if (this.#peek().kind !== "identifier" && this.#peek().text !== "," && this.#peek().text !== ")") {
      throw this.#unexpected("',', ')' or identifier");
    }
    const values: string[] = [];
    for (;;) {
      const isValue = this.#peek().kind === "identifier";
      values.push(isValue ? this.#take().text : "");
      const { text } = this.#peek();
      if (text === ")") break;
      if (text !== ",") throw this.#unexpected(isValue ? "',' or ')'" : "',', or identifier");
      this.#at++;
    }
    this.#at++;
    return values;
  }
}

/** A token of a label selector; empty text marks the end. */
interface Token {
  readonly kind: "identifier" | "symbol" | "end";
  readonly text: string;
}

const symbols = new Set([")", ",", "!", "==", "=", ">", "<", "!=", "("]);

const special = /[=!(),><]/u;

const space = /[ \t\r\n]/u;

/** Splits a label selector into tokens. A run of symbols is split into the longest known ones, from the left. */
function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    const first = text[at]!;
    if (space.test(first)) {
      at++;
      continue;
    }
    const token = special.test(first) ? readSymbol(text, at) : readIdentifier(text, at);
    tokens.push(token);
    at += token.text.length;
  }
  return [...tokens, { kind: "end", text: "" }];
}

function readSymbol(text: string, at: number): Token {
  const two = text.slice(at, at + 2);
  return { kind: "symbol", text: symbols.has(two) ? two : text[at]! };
}

function readIdentifier(text: string, at: number): Token {
  let end = at;
  while (end < text.length && !space.test(text[end]!) && !special.test(text[end]!)) end++;
  return { kind: "identifier", text: text.slice(at, end) };
}

/** The operators between key and value. */
const operators: Readonly<Record<string, Operator>> = {
  "=": "=",
  "==": "==",
  "!=": "!=",
  in: "in",
  notin: "notin",
  ">": "gt",
  "<": "lt",
};

function fail(reasons: readonly string[]): void {
  if (reasons.length > 0) throw new TypeError(aggregate(reasons));
}

/** Joins errors; several are enclosed in brackets. */
export function aggregate(reasons: readonly string[]): string {
  return reasons.length === 1 ? reasons[0]! : `[${reasons.join(", ")}]`;
}

import { memberOf } from "../json/index.ts";
import { compareText } from "../text/index.ts";
import type { LabelSelector, LabelSelectorRequirement } from "../meta/index.ts";
import { checkLabelValue, checkQualifiedName } from "../naming/index.ts";

/** The operator of a requirement, as in the text form; `exists` and `!` have no values. */
export type Operator = "in" | "notin" | "=" | "==" | "!=" | "exists" | "!" | "gt" | "lt";

/** One condition on a label. */
export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

/**
 * Converts the selector of an object to requirements; an empty one has none and matches everything.
 * @throws TypeError with the API server's message
 */
export function toRequirements({ matchLabels = {}, matchExpressions = [] }: LabelSelector): Requirement[] {
  const requirements = [
    ...Object.entries(matchLabels).map(([key, value]): Requirement => {
      return { key, operator: "=", values: [value] };
    }),
    ...matchExpressions.map(toRequirement),
  ];
  for (const requirement of requirements) throwIfAny(checkRequirement(requirement));
  return requirements.sort((a, b) => compareText(a.key, b.key));
}

/** The operators of `matchExpressions`; numeric comparisons exist in the text form only. */
const operatorsOfExpressions: Readonly<Record<string, Operator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

function toRequirement({ key, operator, values = [] }: LabelSelectorRequirement): Requirement {
  const textOperator = memberOf(operatorsOfExpressions, operator);
  if (textOperator === undefined) {
    throw new TypeError(`${JSON.stringify(operator)} is not a valid label selector operator`);
  }
  return { key, operator: textOperator, values };
}

/** Returns true if labels match a selector; `undefined` matches nothing, an empty selector everything. */
export function matchesLabelSelector(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return selector !== undefined && matchesRequirements(toRequirements(selector), labels);
}

/** Returns true if labels match all requirements; an empty list matches everything. */
export function matchesRequirements(
  requirements: readonly Requirement[],
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return requirements.every((requirement) =>
    matches(requirement, labels && memberOf(labels, requirement.key)),
  );
}

function matches({ operator, values }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "in":
    case "=":
    case "==":
      return value !== undefined && values.includes(value);
    // An object without the label matches.
    case "notin":
    case "!=":
      return value === undefined || !values.includes(value);
    case "gt":
    case "lt":
      return value !== undefined && compare(value, operator, values[0] ?? "");
    default:
      return operator satisfies never;
  }
}

function compare(value: string, operator: "gt" | "lt", limit: string): boolean {
  if (!isInt64(value) || !isInt64(limit)) return false;
  return operator === "gt" ? BigInt(value) > BigInt(limit) : BigInt(value) < BigInt(limit);
}

/** Formats a selector as text, as in queries and tables. */
export function formatLabelSelector(selector: LabelSelector): string {
  return formatRequirements(toRequirements(selector));
}

/** Formats requirements as a label selector: sorted by key, values sorted. */
export function formatRequirements(requirements: readonly Requirement[]): string {
  return requirements
    .toSorted((a, b) => compareText(a.key, b.key))
    .map(formatRequirement)
    .join(",");
}

function formatRequirement({ key, operator, values }: Requirement): string {
  const list = values.toSorted().join(",");
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${list})`;
    case "gt":
      return `${key}>${list}`;
    case "lt":
      return `${key}<${list}`;
    default:
      return `${key}${operator}${list}`;
  }
}

/**
 * Parses a label selector: `app=web,tier in (a,b),!legacy`. The result is sorted by key.
 * @throws TypeError with the API server's message
 */
export function parseLabelSelector(text: string): Requirement[] {
  const parser = new Parser(tokenize(text));
  return parser.parse().sort((a, b) => compareText(a.key, b.key));
}

/** Parses requirements; its errors are those of the API server's parser. */
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
    throwIfAny(invalid("<nil>", key, checkQualifiedName(key)));
    if (isAbsent) return { key, operator: "!", values: [] };
    if (this.#peek().kind === "end" || this.#peek().text === ",")
      return { key, operator: "exists", values: [] };
    const operator = this.#operator();
    const values = operator === "in" || operator === "notin" ? this.#list() : [this.#value()];
    const requirement: Requirement = { key, operator, values: [...new Set(values)].sort() };
    throwIfAny(checkRequirement(requirement));
    return requirement;
  }

  #operator(): Operator {
    const operator = operators[this.#peek().text];
    if (operator === undefined) throw this.#unexpected("in, notin, =, ==, !=, gt, lt");
    this.#at++;
    return operator;
  }

  /** Reads one value; nothing after an operator is the empty value. */
  #value(): string {
    if (this.#peek().kind === "end" || this.#peek().text === ",") return "";
    if (this.#peek().kind !== "identifier") throw this.#unexpected("identifier");
    return this.#take().text;
  }

  /** Reads values such as `(a,b)`; nothing between commas is the empty value. */
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

const symbolChar = /[=!(),><]/u;
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
    const token = symbolChar.test(first) ? readSymbol(text, at) : readIdentifier(text, at);
    tokens.push(token);
    at += token.text.length;
  }
  return [...tokens, { kind: "end", text: "" }];
}

const symbols = new Set([")", ",", "!", "==", "=", ">", "<", "!=", "("]);

function readSymbol(text: string, at: number): Token {
  const two = text.slice(at, at + 2);
  return { kind: "symbol", text: symbols.has(two) ? two : text[at]! };
}

function readIdentifier(text: string, at: number): Token {
  let end = at;
  while (end < text.length && !space.test(text[end]!) && !symbolChar.test(text[end]!)) end++;
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

/** Returns why the API server rejects a requirement, in its words. */
function checkRequirement({ key, operator, values }: Requirement): string[] {
  return [
    ...invalid("key", key, checkQualifiedName(key)),
    ...checkValues(operator, values),
    ...values.flatMap((value, index) => invalid(`values[${index}][${key}]`, value, checkLabelValue(value))),
  ];
}

const notAnInteger = "for 'Gt', 'Lt' operators, the value must be an integer";

function checkValues(operator: Operator, values: readonly string[]): string[] {
  // Go encodes a nil slice as null.
  const shown = values.length === 0 ? "null" : JSON.stringify(values);
  const refuse = (reason: string): string[] => [`values: Invalid value: ${shown}: ${reason}`];
  switch (operator) {
    case "in":
    case "notin":
      return values.length === 0 ? refuse("for 'in', 'notin' operators, values set can't be empty") : [];
    case "exists":
    case "!":
      return values.length > 0 ? refuse("values set must be empty for exists and does not exist") : [];
    case "gt":
    case "lt":
      return values
        .filter((value) => !isInt64(value))
        .map((value) => `values[0]: Invalid value: ${JSON.stringify(value)}: ${notAnInteger}`);
    default:
      return [];
  }
}

/** Joins the reasons for one value into one message. */
function invalid(path: string, value: string, reasons: readonly string[]): string[] {
  return reasons.length === 0
    ? []
    : [`${path}: Invalid value: ${JSON.stringify(value)}: ${reasons.join("; ")}`];
}

/** Throws the reasons, if there are any, as one error; several are enclosed in brackets. */
function throwIfAny(reasons: readonly string[]): void {
  if (reasons.length === 0) return;
  throw new TypeError(reasons.length === 1 ? reasons[0] : `[${reasons.join(", ")}]`);
}

function isInt64(text: string): boolean {
  if (!/^[+-]?\d+$/u.test(text)) return false;
  const value = BigInt(text.replace("+", ""));
  return BigInt.asIntN(64, value) === value;
}

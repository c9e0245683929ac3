/** An expression that a literal contains as it is. */
export class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A call with a value, which may be written in several lines. */
export class Call extends Code {
  readonly function: string;
  readonly argument: unknown;

  constructor(name: string, argument: unknown) {
    super(`${name}(${inOneLine(argument)})`);
    this.function = name;
    this.argument = argument;
  }
}

/** A literal is written in one line if it has at most so many characters. */
const width = 80;

/** Writes a JSON value as a TypeScript expression, whose second and further lines are indented. */
export function literal(value: unknown, indent = ""): string {
  const short = inOneLine(value);
  if (short.length + indent.length <= width) return short;
  if (value instanceof Call) return `${value.function}(${literal(value.argument, indent)})`;
  if (!isNested(value)) return short;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : membersOf(value).map(([key, member]) => `${keyOf(key)}: ${literal(member, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${lines.map((line) => `${inner}${line},\n`).join("")}${indent}${close}`;
}

function inOneLine(value: unknown): string {
  if (value instanceof Code) return value.text;
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(", ")}]`;
  if (!isNested(value)) return JSON.stringify(value);
  const members = membersOf(value).map(([key, member]) => `${keyOf(key)}: ${inOneLine(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null && !(value instanceof Code);
}

function membersOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

/** Without brackets, `__proto__` would set the prototype. */
function keyOf(key: string): string {
  if (key === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/u.test(key) ? key : JSON.stringify(key);
}

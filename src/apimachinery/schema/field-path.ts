import { memberOf } from "../json/index.ts";
import { controlEscapes } from "../text/index.ts";
import { type JSONSchema, valuesOf } from "./json-schema.ts";

/** A field path of a schema, as in `fieldPath` of rules and `jsonPath` of selectable fields. */
export interface FieldPath {
  /** `spec.test` or `map[a.b]`, as in field errors. */
  readonly text: string;
  readonly names: readonly string[];
  readonly schema: JSONSchema;
}

/** Resolves `.spec.test` or `.map['a.b']` in a schema. Returns an error as a string. There are no array indexes. */
export function parseFieldPath(
  source: string,
  root: JSONSchema,
  { allowBrackets = true }: { allowBrackets?: boolean } = {},
): FieldPath | string {
  const tokens = tokenize(source);
  const names: string[] = [];
  let text = "";
  let schema: JSONSchema | undefined = root;
  for (let index = 0; index < tokens.length;) {
    const opener = tokens[index++]!;
    if (opener !== "." && opener !== "[") return `expected [ or . but got: ${opener}`;
    if (opener === "[" && !allowBrackets) return "array notation is not allowed";
    const token = tokens[index++];
    if (token === undefined) return "unexpected end of JSON path";
    const name: string | { error: string } = opener === "[" ? unquote(token) : token;
    if (typeof name !== "string") return name.error;
    const isNamed: boolean = schema?.properties !== undefined;
    const child: JSONSchema | undefined = isNamed
      ? memberOf(schema?.properties ?? {}, name)
      : valuesOf(schema);
    if (!child) return "does not refer to a valid field";
    schema = child;
    names.push(name);
    if (!isNamed) text += `[${name}]`;
    else text += text === "" ? name : `.${name}`;
    if (opener !== "[") continue;
    const closer = tokens[index++];
    if (closer === undefined) return "unexpected end of JSON path";
    if (closer !== "]") return `expected ] but got ${closer}`;
  }
  return { text, names, schema: schema ?? {} };
}

/** Splits a path into dots, brackets, quoted strings, and the names in between. */
function tokenize(source: string): string[] {
  return source.match(/'(?:[^']|(?<=\\)')*'|[.[\]]|[^.[\]]+/g) ?? [];
}

const escapes: Readonly<Record<string, string>> = { ...controlEscapes, "'": "'", "\\": "\\" };

function unquote(token: string): string | { error: string } {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    return { error: `expected single quoted string but got ${token}` };
  }
  let error: string | undefined;
  const text = token.slice(1, -1).replaceAll(/\\(.)/gs, (match, char: string) => {
    const plain = escapes[char];
    if (plain === undefined) error ??= `invalid string literal: invalid escape char ${match}`;
    return plain ?? "";
  });
  return error === undefined ? text : { error };
}

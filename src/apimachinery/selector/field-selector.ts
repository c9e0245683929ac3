/** One condition on a field: `status.phase!=Running`. */
export interface FieldTerm {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/**
 * Parses a field selector: terms with `=`, `==` or `!=`, joined by commas. Commas, equals signs and backslashes within
 * a value are escaped with a backslash.
 * @throws TypeError with the API server's message
 */
export function parseFieldSelector(text: string): FieldTerm[] {
  return splitTerms(text)
    .sort()
    .filter((term) => term !== "")
    .map((term) => parseTerm(text, term))
    .filter(({ field, value }) => field !== "" || value !== "");
}

/** Returns true if an object matches all terms; a missing field counts as empty. */
export function matchesFields(
  terms: readonly FieldTerm[],
  read: (field: string) => string | undefined,
): boolean {
  return terms.every(({ field, operator, value }) => ((read(field) ?? "") === value) === (operator === "="));
}

/** Formats terms as a field selector. */
export function formatFieldSelector(terms: readonly FieldTerm[]): string {
  return terms
    .map(({ field, operator, value }) => field + operator + value.replaceAll(/[\\,=]/gu, String.raw`\$&`))
    .join(",");
}

/** Splits a selector at its commas, except for escaped ones. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === ",") {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function parseTerm(selector: string, term: string): FieldTerm {
  const match = /^(.*?)(!=|==|=)(.*)$/su.exec(term);
  if (!match) throw new TypeError(`invalid selector: '${selector}'; can't understand '${term}'`);
  const [, field = "", operator, value = ""] = match;
  return { field, operator: operator === "!=" ? "!=" : "=", value: unescape(value) };
}

function unescape(text: string): string {
  return text.replaceAll(/\\([\s\S]?)|[,=]/gu, (match, escaped: string | undefined) => {
    if (escaped === undefined) {
      throw new TypeError(`invalid field selector: unescaped character in value: ${match.codePointAt(0)}`);
    }
    if (!/^[\\,=]$/u.test(escaped)) {
      throw new TypeError(`invalid field selector: invalid escape sequence: \\${escaped}`);
    }
    return escaped;
  });
}

/**
 * Go decodes a number that is written with a point or an exponent as a float, never into an integer, even `1.0` and `1e3`.
 * `JSON.parse` keeps no digits, so such numbers are made strings that begin with what no client can know.
 */
let mark: string | undefined;

/** Made when it is needed: to load Node's cryptography takes 6 ms. */
function makeMark(): string {
  return (mark ??= `\u0000${crypto.randomUUID()}`);
}

/** A string, or a number. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/gsu;
const someFloat = /[:[,]\s*-?\d+(?:\.\d|[eE])/u;

/** A JSON text with all floats marked whose digits JavaScript would lose; undefined if there are none. */
export function markFloats(json: string): string | undefined {
  if (!someFloat.test(json)) return undefined;
  let found = false;
  const marked = json.replaceAll(tokens, (token) => {
    if (!/^[-\d].*[.eE]/u.test(token) || String(Number(token)) === token) return token;
    found = true;
    return JSON.stringify(makeMark() + token);
  });
  return found ? marked : undefined;
}

/** The text of a marked float; undefined for any other value. */
export function writtenFloat(value: unknown): string | undefined {
  if (typeof value !== "string" || mark === undefined || !value.startsWith(mark)) return undefined;
  return value.slice(mark.length);
}

// Escapes third-party text for source code that tsbuilder writes, depending on where it is inserted. A Unicode line
// separator ends a line comment of JavaScript as a line feed does, and JSON does not escape it.

/** Returns a string literal of TypeScript. */
export function stringLiteral(text: string): string {
  return jsonText(text);
}

const lineSeparators = /[\u2028\u2029]/gu;

/** Returns a value as JSON that has no line break in source code either. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(lineSeparators, escapeUnicode);
}

/** Returns a string for a marker, which is in a comment: between double quotes, with the escapes of Go. */
export function markerString(text: string): string {
  return stringLiteral(text).replaceAll("*/", "*\\u002f");
}

/** Splits a text into lines for comments of any kind, at every character that ends a line. */
export function commentTextLines(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/u);
}

/** Joins a text to one line for a block comment, and breaks up each `*\/` in it. */
export function blockCommentText(text: string): string {
  return commentTextLines(text).join(" ").replaceAll("*/", "* /");
}

const escapeUnicode = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * Text of others on its way into what we write, by the place where it will stand. A line separator ends a line
 * comment of JavaScript as a line feed does, and JSON leaves it as it is.
 */

/** A string literal of TypeScript. */
export function stringLiteral(text: string): string {
  return jsonText(text);
}

/** A value as JSON that stays on its line in source code, too. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(separators, escapeUnicode);
}

/** A string in a marker, which stands in a comment: between double quotes, with the escapes of Go. */
export function markerString(text: string): string {
  return stringLiteral(text).replaceAll("*/", "*\\u002f");
}

/** The lines of a text, for comments of any kind; none of them ends its line early. */
export function commentTextLines(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/u);
}

/** One line in a block comment, which it can't end. */
export function blockCommentText(text: string): string {
  return commentTextLines(text).join(" ").replaceAll("*/", "* /");
}

const separators = /[\u2028\u2029]/gu;

const escapeUnicode = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

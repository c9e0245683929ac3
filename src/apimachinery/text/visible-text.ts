/**
 * Writes what a terminal or a browser obeys instead of showing it as an escape sequence of JSON: control characters, and
 * characters that change the direction of text. Tabs and line breaks stay as they are.
 */
export function visibleText(text: string): string {
  return text.replaceAll(obeyed, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const obeyed =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/gu;

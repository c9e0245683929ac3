import { expect, test } from "vitest";
import { drawTerminal } from "./draw-terminal.ts";

const title = "a picture";

/** The pieces of text that are drawn, with their colours. */
function piecesOf(text: string, columns = 80): string[] {
  return [
    ...drawTerminal(text, { title, columns }).matchAll(
      /<text [^>]*fill="var\(--(\w+)\)"([^>]*)>(.*)<\/text>/g,
    ),
  ].map(([, colour, weight, shown]) => `${colour}${weight === "" ? "" : " bold"}: ${shown}`);
}

test("text is drawn in the colours that the terminal was told, until it is told otherwise", () => {
  expect(piecesOf("a\n\u001B[31m\u001B[1mb\u001B[22mc\u001B[39md \u001B[2mdim\u001B[0m end")).toEqual([
    "ink: a",
    "red bold: b",
    "red: c",
    "ink: d",
    "dim: dim",
    "ink: end",
  ]);
});

test("what is wider than the terminal continues on the next line", () => {
  expect(piecesOf("123456789", 4)).toEqual(["ink: 1234", "ink: 5678", "ink: 9"]);
});

test("what would be markup is text", () => {
  expect(piecesOf('a <b> & "c"')).toEqual(["ink: a &lt;b> &amp; &quot;c&quot;"]);
});

test("a piece stands below the columns it had, whatever the font", () => {
  const drawing = drawTerminal("\u001B[32mok  next\u001B[39m", { title, columns: 20 });
  expect(drawing).toContain('<text x="16" y="29.3" textLength="15.6" fill="var(--green)">ok</text>');
  expect(drawing).toContain('<text x="47.2" y="29.3" textLength="31.2" fill="var(--green)">next</text>');
});

test.each(["\u001B[34mblue", "\u001B[?25lhidden"])("a code that is not drawn is an error: %j", (text) => {
  expect(() => drawTerminal(text, { title, columns: 20 })).toThrow(/is not drawn|is no colour/);
});

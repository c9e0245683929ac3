/** A page that is made from the code: its front matter, and its Markdown below the title. */
export interface Page {
  readonly title: string;
  /** The page's place in its section. */
  readonly order: number;
  readonly body: readonly string[];
}

/** Returns the text of a page. The blocks of its body are paragraphs, headings, tables and the like. */
export function renderPage({ title, order, body }: Page): string {
  const front = `---\ntitle: ${JSON.stringify(title)}\norder: ${order}\n---`;
  return `${front}\n\n# ${title}\n\n${guardBraces(body.join("\n\n"))}\n`;
}

/** Escapes double braces in code outside of blocks, which Vue would take for an expression. */
function guardBraces(text: string): string {
  return text
    .split(/^(```.*?^```$)/gmsu)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/`[^`\n]*\{\{[^`\n]*`/gu, "$&{v-pre}")))
    .join("");
}

/** Returns a table. Each cell is Markdown on one line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/gu, " ")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Returns inline code, in more backticks than the text itself has in a row. */
export function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}

export function codeBlock(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

/** Matches code in texts for a terminal: backticks, commands with a flag, flags, templates. */
const codeInProse =
  /(`[^`]+`|(?<![\w-])tsbuilder [A-Za-z -]*--[a-z][\w-]*(?:=\w+)?|(?<![\w-])--[a-z][\w-]*(?:=\w+)?|\{\{.*?\}\})/gu;

/** Converts a text for a terminal into Markdown. Nothing but code becomes markup. */
export function prose(text: string): string {
  return text
    .split(codeInProse)
    .map((part, index) => {
      if (index % 2 === 0) return part.replaceAll(/[\\`*_[\]<>]/gu, (char) => `\\${char}`);
      return part.startsWith("`") ? part : code(part);
    })
    .join("");
}

/** Returns the anchor of a heading, as VitePress makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'<>,.?/]+/gu, "-")
    .replaceAll(/^-|-$/gu, "");
}

/** The anchors of a page's headings, in their order. Repeated ones are numbered. */
export class Anchors {
  readonly #seen = new Map<string, number>();

  /** Returns the anchor of the next heading. */
  add(heading: string): string {
    const anchor = anchorOf(heading);
    const repeated = this.#seen.get(anchor) ?? 0;
    this.#seen.set(anchor, repeated + 1);
    return repeated === 0 ? anchor : `${anchor}-${repeated}`;
  }
}

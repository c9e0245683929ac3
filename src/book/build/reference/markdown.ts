/** A made page: what its front matter says, and its Markdown below the title. */
export interface Page {
  readonly title: string;
  /** Its place in the section. */
  readonly order: number;
  readonly body: readonly string[];
}

/** The text of a page; the blocks of its body are paragraphs, headings, tables and the like. */
export function renderPage({ title, order, body }: Page): string {
  return `---\ntitle: ${title}\norder: ${order}\n---\n\n# ${title}\n\n${body.join("\n\n")}\n`;
}

/** A table; a cell is Markdown on one line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/gu, " ")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Text as code. */
export function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}

export function codeBlock(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

/** Text that was written for a terminal: nothing in it is Markdown, HTML or a template, and flags become code. */
export function prose(text: string): string {
  return text
    .split(/(?<![\w-])(--[a-z][\w-]*(?:=\w+)?)/gu)
    .map((part, i) => (i % 2 === 1 ? code(part) : escape(part)))
    .join("");
}

function escape(text: string): string {
  return text
    .replaceAll(/[\\`*_[\]<>]/gu, (char) => `\\${char}`)
    .replaceAll("{{", "<span v-pre>{{</span>")
    .replaceAll("}}", "<span v-pre>}}</span>");
}

/** A sentence of words that stand without capital and full stop elsewhere. */
export function sentence(words: string): string {
  const start = `${words[0]!.toUpperCase()}${words.slice(1)}`;
  return /[.!?]$/u.test(start) ? start : `${start}.`;
}

/** The anchor of a heading, as VitePress makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'<>,.?/]+/gu, "-")
    .replaceAll(/^-|-$/gu, "");
}

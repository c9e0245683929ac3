/** How a terminal shows a piece of text. */
interface Style {
  readonly colour: string;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

interface Run extends Style {
  readonly text: string;
}

const plain: Style = { colour: "ink", isBold: false, isDim: false };

/** The style of text by the terminal code before it. Backgrounds are not drawn. */
const codes: Readonly<Record<string, Partial<Style>>> = {
  "": plain,
  0: plain,
  1: { isBold: true },
  2: { isDim: true },
  22: { isBold: false, isDim: false },
  31: { colour: "red" },
  32: { colour: "green" },
  33: { colour: "yellow" },
  36: { colour: "cyan" },
  39: { colour: "ink" },
};

/** On a light page, and on a dark one. */
const colours = {
  ink: ["#1f2328", "#e6edf3"],
  dim: ["#59636e", "#9198a1"],
  red: ["#b31d28", "#ff7b72"],
  green: ["#116329", "#7ee787"],
  yellow: ["#7d4e00", "#e3b341"],
  cyan: ["#0b6b72", "#76e3ea"],
  back: ["#f6f8fa", "#161b22"],
  edge: ["#8c959f", "#6e7681"],
} as const;

const cell = 7.8;
const line = 19;
const margin = 16;

/**
 * Draws what a terminal of so many columns shows, as an SVG that is dark where its reader prefers that. Within a page of the
 * book the site's style sheet decides, which has the dark colours, too.
 */
export function drawTerminal(text: string, { title, columns }: { title: string; columns: number }): string {
  const lines = text
    .trimEnd()
    .split("\n")
    .flatMap((one) => wrap(readRuns(one), columns));
  const width = round(columns * cell + 2 * margin);
  const height = lines.length * line + 2 * margin;
  const [light, dark] = [0, 1].map((at) =>
    Object.entries(colours).map(([name, pair]) => `--${name}:${pair[at]}`),
  ) as [string[], string[]];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="terminal" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13" style="${light.join(";")}">`,
    `<style>@media(prefers-color-scheme:dark){svg{${dark.map((one) => `${one}!important`).join(";")}}}</style>`,
    `<title>${escape(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${round(width - 1)}" height="${height - 1}" rx="8" fill="var(--back)" stroke="var(--edge)"/>`,
    ...lines.flatMap((runs, at) => drawLine(runs, margin + line * (at + 0.7))),
    "</svg>",
    "",
  ].join("\n");
}

function readRuns(text: string): Run[] {
  let style = plain;
  return text.split("\u001B[").flatMap((part, at) => {
    const [code = "", list = ""] = at === 0 ? [] : (/^([\d;]*)m/.exec(part) ?? []);
    if (at > 0 && code === "") throw new Error(`${JSON.stringify(part.slice(0, 12))} is no colour`);
    for (const one of at > 0 ? list.split(";") : []) {
      if (!codes[one]) throw new Error(`the code ${one} of a terminal is not drawn: add it to the codes`);
      style = { ...style, ...codes[one] };
    }
    const rest = part.slice(code.length);
    return rest === "" ? [] : [{ ...style, text: rest }];
  });
}

/** A line that is wider than the terminal continues on the next. */
function wrap(runs: readonly Run[], columns: number): Run[][] {
  const lines: Run[][] = [[]];
  let free = columns;
  for (const run of runs) {
    let { text } = run;
    while (text.length > free) {
      lines.at(-1)!.push({ ...run, text: text.slice(0, free) });
      text = text.slice(free);
      lines.push([]);
      free = columns;
    }
    lines.at(-1)!.push({ ...run, text });
    free -= text.length;
  }
  return lines;
}

/**
 * Text between two spaces and the next two is drawn in its own place: it has the width of its cells, whichever font
 * there is, and needs no spaces that a page would join.
 */
function drawLine(runs: readonly Run[], y: number): string[] {
  let column = 0;
  return runs.flatMap(({ text, colour, isBold, isDim }) => {
    const start = column;
    column += text.length;
    const look = `fill="var(--${isDim ? "dim" : colour})"${isBold ? ' font-weight="600"' : ""}`;
    return [...text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: piece, index }) => {
      const x = round(margin + (start + index) * cell);
      return `<text x="${x}" y="${round(y)}" textLength="${round(piece.length * cell)}" ${look}>${escape(piece)}</text>`;
    });
  });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

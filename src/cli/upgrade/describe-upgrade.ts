import type { FileConflict } from "../../scaffold/plan-upgrade.ts";

/** An upgrade in words, for the terminal and for a pull request. */
export interface DescribedUpgrade {
  readonly from: string;
  readonly to: string;
  readonly notes: readonly string[];
  readonly marked: readonly FileConflict[];
}

/** The conflicts of an upgrade, by place, with both sides. */
export function describeConflicts({ to, marked }: DescribedUpgrade): string[] {
  return marked.flatMap(({ path, line, ours, theirs }) => [
    `conflict in ${path}:${line}`,
    "  yours:",
    ...indent(theirs, "    "),
    `  tsbuilder ${to}:`,
    ...indent(ours, "    "),
  ]);
}

/** The text of a pull request, in Markdown; code is indented, since a fence could be part of it. */
export function describePullRequest(upgrade: DescribedUpgrade): string {
  const { from, to, notes, marked } = upgrade;
  const conflicts = marked.map(({ path, line, ours, theirs }) =>
    [
      `### \`${path}\`, line ${line}`,
      "Yours:",
      indent(theirs, "    ").join("\n"),
      `tsbuilder ${to}:`,
      indent(ours, "    ").join("\n"),
    ].join("\n\n"),
  );
  const sections = [
    `Upgrades the project from tsbuilder ${from} to ${to}: templates, packages and generated files, merged with your changes. The first parent of the merge is your branch, the second what tsbuilder ${to} scaffolds.`,
    ...(marked.length === 0
      ? []
      : [
          `## Conflicts`,
          `Both sides are in the files, between \`<<<<<<<\` and \`>>>>>>>\`; \`tsbuilder doctor\` finds them. Resolve them in this branch before it is merged, then run \`npm run generate\` and \`npm test\`.`,
          ...conflicts,
        ]),
    ...(notes.length === 0 ? [] : ["## Notes", notes.map((note) => `- ${note}`).join("\n")]),
  ];
  return shorten(sections.join("\n\n"));
}

/** GitHub takes 65,536 characters. */
const longest = 60_000;

const shorten = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}\n\nThere is more: the files have all of it.`;

const mostLines = 20;

function indent(text: string, by: string): string[] {
  const lines = text.split("\n");
  const shown = lines.length > mostLines ? [...lines.slice(0, mostLines), "…"] : lines;
  return shown.map((line) => `${by}${line}`.trimEnd());
}

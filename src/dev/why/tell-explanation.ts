import { formatAge } from "@tsbuilder/apimachinery/text";
import { count } from "../../shared/text.ts";
import type { Explanation } from "./explain-object.ts";

/** The signs of tones, as `doctor` has them. */
const signs = { bad: "!", busy: "~", good: "+", none: " " } as const;

/** The number of fields of a manager, and of owned objects, that are listed. */
const [mostFields, mostChildren] = [5, 20];

/** Tells an explanation in words, in lines: what stands first explains most. */
export function tellExplanation(explanation: Explanation, now: number): string[] {
  const { summary, causes, conditions, reconciles, writers, events, owners, children, unknown } = explanation;
  const ago = (at: string | undefined): string => (at === undefined ? "" : formatAge(at, now));
  const whyLines = causes.flatMap(({ text, advice }, at) => [
    `  ${at + 1}. ${text}`,
    ...(advice === "" ? [] : [`     ${advice}`]),
  ]);
  return [
    summary,
    ...section("Why", whyLines.length > 0 ? whyLines : ["  Nothing is wrong that could be seen."]),
    ...section(
      "Conditions",
      table(
        conditions.map(({ tone, type, status, since, reason, message }) => [
          `${signs[tone]} ${type}`,
          status,
          ago(since),
          [reason, message].filter(Boolean).join(": "),
        ]),
      ),
    ),
    ...section(
      "What the operator decided last",
      (reconciles ?? []).flatMap((one) => tellDecision(one, now)),
    ),
    ...section(
      "Who wrote it",
      table(
        writers.map(({ manager, operation, subresource, at, fields }) => [
          manager,
          [operation, subresource && `of ${subresource}`].filter(Boolean).join(" "),
          ago(at),
          [
            ...fields.slice(0, mostFields),
            ...(fields.length > mostFields ? [`${fields.length - mostFields} more`] : []),
          ].join(", "),
        ]),
      ),
    ),
    ...section(
      "What the Events say",
      table(
        events.map(({ at, isWarning, reason, text, times, about }) => [
          ago(at),
          isWarning ? "Warning" : "Normal",
          about === explanation.object ? "" : about,
          `${reason}: ${text}${times > 1 ? ` (${times} times)` : ""}`,
        ]),
      ),
    ),
    ...section(
      "What owns it",
      owners.map(({ object, why }) => `  ${object}${why === "" ? "" : `: ${why}`}`),
    ),
    ...section("What it owns", [
      ...children
        .slice(0, mostChildren)
        .map(
          ({ object, depth, tone, why }) =>
            `${"  ".repeat(depth)}${signs[tone]} ${object}${why === "" ? "" : `: ${why}`}`,
        ),
      ...(children.length > mostChildren ? [`  and ${children.length - mostChildren} more`] : []),
    ]),
    ...section(
      "What is not known",
      unknown.map((reason) => `  - ${reason}`),
    ),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", title, ...lines];
}

/** Aligns columns, and leaves out those that are empty in all rows. */
function table(rows: readonly (readonly string[])[]): string[] {
  const columns = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) =>
    `  ${row
      .flatMap((cell, at) =>
        columns[at] === 0 ? [] : [at === row.length - 1 ? cell : cell.padEnd(columns[at]!)],
      )
      .join("  ")}`.trimEnd(),
  );
}

/** The number of requests of a reconcile that are listed. */
const mostRequests = 8;

function tellDecision(decision: NonNullable<Explanation["reconciles"]>[number], now: number): string[] {
  const { at, text, requests } = decision;
  const listed = requests
    .slice(-mostRequests)
    .map(
      ({ method, path, code, seconds }) =>
        `      ${method} ${path}: ${code} in ${Math.round(seconds * 1000)} ms`,
    );
  const more = requests.length - listed.length;
  return [
    `  ${formatAge(at, now)} ago: ${text}`,
    ...(more > 0 ? [`      after ${count(more, "other request")}`] : []),
    ...listed,
  ];
}

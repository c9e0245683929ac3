import type { ComparedKind, ComparedOperator } from "./compare-operator.ts";
import type { Difference } from "./differences.ts";

/** The lines that tell what became of an operator's kinds. */
export function reportLines({ kinds, removed, complaints }: ComparedOperator): string[] {
  return [
    ...kinds.flatMap((kind) => [
      `${verdict(kind).padEnd(10)} ${kind.name}`,
      ...details(kind).map((line) => `  ${line}`),
    ]),
    ...removed.map((marker) => `left out   ${marker}`),
    ...complaints.map((complaint) => `complaint  ${complaint}`),
  ];
}

/** `equal` byte for byte; `equal but` for what differs on purpose; `different`. */
export function verdict({ isSameText, others }: ComparedKind): "equal" | "equal but" | "different" {
  if (isSameText) return "equal";
  return others?.length === 0 ? "equal but" : "different";
}

function details({ deliberate, others }: ComparedKind): string[] {
  const named = [...deliberate].map(([name, count]) => `${name}: ${count}`);
  if (others === undefined) return [...named, "only one of the two wrote it"];
  const [smallest] = others.toSorted((a, b) => sizeOf(a) - sizeOf(b));
  if (!smallest) return named;
  const { path, theirs, ours } = smallest;
  const rest = others.length > 1 ? [`and ${others.length - 1} more`] : [];
  return [...named, `${path}:`, `  theirs ${short(theirs)}`, `  ours   ${short(ours)}`, ...rest];
}

function sizeOf({ theirs, ours }: Difference): number {
  return short(theirs).length + short(ours).length;
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

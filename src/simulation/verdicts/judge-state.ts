import type { Condition, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { refOf, refText, type Run, type Scenario, type Verdict } from "../contract/index.ts";
import { isPaused } from "./paused-objects.ts";

interface WithStatus extends KubernetesObject {
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly Condition[] };
}

/** What the outcome of a run shows to be wrong, whatever other runs do. */
export function judgeState({ state, leftovers }: Run, { steps = [] }: Scenario): Verdict[] {
  const applied = new Set(
    steps.flatMap((step) => (step.do === "apply" ? [refText(refOf(step.object))] : [])),
  );
  const roots = state.objects.filter((object) =>
    applied.has(refText(refOf(object))),
  ) as readonly WithStatus[];
  const left = leftovers.map((object) => refText(refOf(object)));
  return [
    ...roots.flatMap((root) => [...(isPaused(root) ? [] : observed(root)), ...wellFormed(root)]),
    ...(left.length > 0
      ? [
          {
            class: "leftover",
            message: `after the deletion, ${left.join(", ")} is left`,
            objects: left,
          } as const,
        ]
      : []),
  ];
}

function observed({ status, ...root }: WithStatus): Verdict[] {
  const seen = [status, ...(status?.conditions ?? [])].flatMap((each) => each?.observedGeneration ?? []);
  const { generation = 1 } = root.metadata;
  const behind = seen.find((each) => each !== generation);
  if (behind === undefined) return [];
  const name = refText(refOf(root));
  const message = `${name} has generation ${generation}, but its status says that ${behind} was observed`;
  return [{ class: "observed-generation", message, objects: [name] }];
}

function wellFormed({ status, ...root }: WithStatus): Verdict[] {
  const name = refText(refOf(root));
  const types = new Set<string>();
  return (status?.conditions ?? []).flatMap((condition) => {
    const problem = problemOf(condition) ?? (types.has(condition.type) ? "is there twice" : undefined);
    types.add(condition.type);
    if (problem === undefined) return [];
    return [
      { class: "conditions", message: `condition ${condition.type} of ${name} ${problem}`, objects: [name] },
    ];
  });
}

function problemOf({ type, status, reason, lastTransitionTime }: Partial<Condition>): string | undefined {
  if (!type) return "has no type";
  if (!["True", "False", "Unknown"].includes(status ?? "")) return `has the status ${JSON.stringify(status)}`;
  if (!/^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason ?? ""))
    return `has the reason ${JSON.stringify(reason)}, which is not a CamelCase word`;
  if (Number.isNaN(Date.parse(lastTransitionTime ?? ""))) return "has no lastTransitionTime";
  return undefined;
}

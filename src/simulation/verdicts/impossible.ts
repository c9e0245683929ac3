import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Difference } from "./differences.ts";
import { refOf, refText, type Run, type State, type TraceEvent } from "../contract/index.ts";

type Write = TraceEvent & { readonly type: "request" };

/** What of a run's outcome depends on what was possible before, because the spec asks for what is not. */
export interface Impossible {
  /**
   * The objects (`ConfigMap.v1 default/shop`) that operators could not write in the end, because the API server finds them
   * invalid, and what has the same owner: an operator may well go no further.
   */
  readonly objects: ReadonlySet<string>;
  /** The objects that these belong to: their status tells of what is left. */
  readonly owners: ReadonlySet<string>;
}

export function impossibleIn({ trace }: Run, states: readonly State[]): Impossible {
  const last = new Map<string, Write>();
  for (const event of trace) {
    if (event.type === "phase") break;
    if (event.type !== "request" || event.object === undefined || event.status === 0) continue;
    const [, subresource = ""] = /\/(status|scale)$/.exec(event.path.split("?")[0]!) ?? [];
    last.set(`${event.object} ${subresource}`, event);
  }
  const refused = [...last.values()].filter(({ status }) => status === 422);
  const owners = new Set(refused.flatMap(({ body = "{}" }) => ownersOf(JSON.parse(body) as Partial<Owned>)));
  const siblings = states
    .flatMap(({ objects }) => objects)
    .filter((object) => ownersOf(object).some((owner) => owners.has(owner)));
  return {
    objects: new Set([
      ...refused.map(({ object }) => object!),
      ...siblings.map((each) => refText(refOf(each))),
    ]),
    owners,
  };
}

export function isImpossible(
  { objects, owners }: Impossible,
  { object, field = "" }: Pick<Difference, "object" | "field">,
): boolean {
  return objects.has(object) || (owners.has(object) && field.split(".")[0] === "status");
}

type Owned = Pick<KubernetesObject, "metadata">;

/** An owner is in the namespace of what it owns, or in none. */
function ownersOf({ metadata }: Partial<Owned>): string[] {
  return (metadata?.ownerReferences ?? []).flatMap(({ apiVersion, kind, name }) =>
    [metadata?.namespace, undefined].map((namespace) => refText({ apiVersion, kind, name, namespace })),
  );
}

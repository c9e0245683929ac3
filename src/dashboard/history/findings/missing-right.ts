import type { Reconcile } from "../history.ts";
import { type RequestTarget, requestTarget, verbOf } from "../request-target.ts";
import { Episodes } from "./episodes.ts";
import type { AskedRequests, Detector, Finding, FoundRequest } from "./finding.ts";
import { listed, times } from "./words.ts";

interface Refusal {
  readonly controller: string;
  readonly group: string;
  /** Without the group: `statefulsets/status`. */
  readonly resource: string;
  readonly verbs: Set<string>;
  readonly requests: Map<string, FoundRequest>;
}

/** Refusals for other reasons than RBAC. */
const otherReasons =
  /admission webhook|ValidatingAdmissionPolicy|exceeded quota|because it is being terminated|violates PodSecurity/u;

/** Requests that RBAC forbids. */
export class MissingRightDetector implements Detector {
  readonly #refusals = new Episodes<Refusal>({ least: 1 });

  seeReconcile({ controller, request, requests, from, error = "" }: Reconcile, asked: AskedRequests): void {
    if (otherReasons.test(error)) return;
    for (const one of requests) {
      const { method, path, code } = one;
      const target = code === "403" && !asked.has(one) ? requestTarget(path) : undefined;
      if (target === undefined) continue;
      const key = [controller, target.resource, target.subresource].join("\n");
      const refusal = this.#refusals.hit(key, from, () => refusalOf(controller, target));
      refusal.verbs.add(verbOf(method, path, target));
      refusal.requests.set(request, { controller, request });
    }
  }

  found(): Finding[] {
    return this.#refusals.told.map(({ count, from, at, detail }) => {
      const { controller, group, resource, verbs, requests } = detail;
      const what = `${listed([...verbs])} ${resource}`;
      const groups = group === "" ? '""' : group;
      const marker = `// +kubebuilder:rbac:groups=${groups},resources=${resource},verbs=${[...verbs].join(";")}`;
      return {
        kind: "missing right",
        title: `${controller} is not allowed to ${what}`,
        text: `The API server refused ${controller} ${times(count)} to ${what}${group === "" ? "" : ` in ${group}`}: add the marker ${marker} to its controller`,
        from,
        at,
        places: [],
        requests: [...requests.values()],
      };
    });
  }
}

function refusalOf(controller: string, { resource, subresource }: RequestTarget): Refusal {
  const [plural = "", ...group] = resource.split(".");
  return {
    controller,
    group: group.join("."),
    resource: subresource === undefined ? plural : `${plural}/${subresource}`,
    verbs: new Set(),
    requests: new Map(),
  };
}

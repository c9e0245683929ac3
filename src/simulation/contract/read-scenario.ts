import { findKind } from "@tsbuilder/apimachinery/kinds";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Ref } from "./ref.ts";
import type { Scenario } from "./scenario.ts";
import type { Step } from "./step.ts";

/** Objects and targets of namespaced kinds that name no namespace are in `default`, as for the API server's clients. */
export function readScenario(scenario: Scenario): Scenario {
  const { crds = [], objects = [], steps = [] } = scenario;
  const applied = steps.flatMap((step) => (step.do === "apply" ? [step.object] : []));
  const scopes = new Map([...crds, ...objects, ...applied].flatMap(scopeOf));
  const isNamespaced = ({ apiVersion, kind }: { apiVersion: string; kind: string }): boolean => {
    const [version, group = ""] = apiVersion.split("/").toReversed() as [string, string?];
    const scope = scopes.get(`${group} ${kind}`) ?? findKind({ group, version }, kind)?.scope;
    return scope === "Namespaced";
  };
  const placed = (object: KubernetesObject): KubernetesObject =>
    object.metadata.namespace !== undefined || !isNamespaced(object)
      ? object
      : { ...object, metadata: { ...object.metadata, namespace: "default" } };
  const targeted = (target: Ref): Ref =>
    target.namespace !== undefined || !isNamespaced(target) ? target : { ...target, namespace: "default" };
  const read = (step: Step): Step => {
    if (step.do === "settle") return step;
    if (step.do === "apply") {
      const object = placed(step.object);
      return object === step.object ? step : { ...step, object };
    }
    const target = targeted(step.target);
    return target === step.target ? step : { ...step, target };
  };
  return {
    ...scenario,
    ...(scenario.objects && { objects: objects.map(placed) }),
    ...(scenario.steps && { steps: steps.map(read) }),
  };
}

/** The kind that a CRD defines, with its scope. */
function scopeOf({ kind, ...object }: KubernetesObject): Array<readonly [string, string]> {
  if (kind !== "CustomResourceDefinition" || !("spec" in object)) return [];
  const { group, names, scope } = object.spec as { group: string; names: { kind: string }; scope: string };
  return [[`${group} ${names.kind}`, scope]];
}

import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { refOf, refText, type Scenario, type State } from "../contract/index.ts";

/** Whether the user asks that nothing be done for it: what was asked for before may never have been done. */
export function isPaused(object: KubernetesObject): boolean {
  const { spec } = object as { readonly spec?: { readonly paused?: unknown } };
  return spec?.paused === true;
}

/** What users paused, and what it owns: how far an operator came before depends on the moment. */
export function pausedObjects(
  { objects }: State,
  { steps = [], objects: given = [] }: Scenario,
): Set<KubernetesObject> {
  const applied = steps.flatMap((step) => (step.do === "apply" ? [step.object] : []));
  const users = new Set([...given, ...applied].map((object) => refText(refOf(object))));
  const paused = new Set<KubernetesObject>();
  const uids = new Set<string | undefined>();
  const add = (object: KubernetesObject): void => {
    paused.add(object);
    uids.add(object.metadata.uid);
  };
  for (const object of objects) if (isPaused(object) && users.has(refText(refOf(object)))) add(object);
  for (let before = -1; before < paused.size;) {
    before = paused.size;
    for (const object of objects)
      if (object.metadata.ownerReferences?.some(({ uid }) => uids.has(uid))) add(object);
  }
  return paused;
}

import { compareSemver, parseSemver } from "@tsbuilder/apimachinery/semver";
import type { Located } from "../located.ts";
import type { Bundle } from "./bundle.ts";
import { finding, type Findings } from "./finding.ts";
import { findRemovedApi, type RemovedApi } from "./removed-apis.ts";

/**
 * APIs that Kubernetes no longer serves: an error if the lowest version that the bundle is for, or the given one, is
 * without them.
 */
export function* checkApis(bundle: Bundle, kubernetes: string | undefined): Findings {
  const minimum = bundle.csv.get("spec", "minKubeVersion").text;
  const targets = [minimum, kubernetes].flatMap((text) => parseSemver(text ?? "") ?? []);
  for (const { place, apiVersion, kind, removed } of removedApis(bundle)) {
    const { removedIn, successor } = removed;
    const isGone = targets.some((target) => compareSemver(target, parseSemver(removedIn)!) >= 0);
    const message = `Kubernetes ${removedIn.replace(/\.0$/u, "")} removed ${kind} of ${apiVersion}`;
    const bound = maxOpenShift(removedIn);
    const hint =
      isGone || bound === undefined
        ? `use ${successor}`
        : `use ${successor}, or keep clusters from upgrading: the property olm.maxOpenShiftVersion: "${bound}" in metadata/properties.yaml`;
    yield finding(isGone ? "api-removed" : "api-removed-later", place, message, hint);
  }
}

/** An object of an API that is gone. */
interface RemovedUse {
  readonly place: Located;
  readonly apiVersion: string;
  readonly kind: string;
  readonly removed: RemovedApi;
}

export function removedApis({ objects, csv }: Bundle): RemovedUse[] {
  const places = [
    ...objects.map((object) => [object, object.get("apiVersion")] as const),
    // What consoles list as made by the operator.
    ...(["owned", "required"] as const)
      .flatMap((side) => csv.get("spec", "customresourcedefinitions", side).items)
      .flatMap((crd) => crd.get("resources").items)
      .map((resource) => [resource, resource.get("version")] as const),
  ];
  return places.flatMap(([object, place]) => {
    const [apiVersion, kind] = [place.text, object.get("kind").text];
    if (apiVersion === undefined || kind === undefined) return [];
    const removed = findRemovedApi(apiVersion, kind);
    return removed ? [{ place, apiVersion, kind, removed }] : [];
  });
}

/** OpenShift 4.N is Kubernetes 1.(N+13): the last one that still serves what a version removed. */
function maxOpenShift(removedIn: string): string | undefined {
  const minor = Number(removedIn.split(".")[1]) - 13 - 1;
  return minor < 1 ? undefined : `4.${minor}`;
}

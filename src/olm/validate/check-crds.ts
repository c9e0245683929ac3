import { type CRDSpec, validateCRD, defaultNames } from "@tsbuilder/apimachinery/crd";
import { formatFieldError } from "@tsbuilder/apimachinery/errors";
import { copyJSON, isObject } from "@tsbuilder/apimachinery/json";
import { DecodeError } from "@tsbuilder/apimachinery/kinds";
import { decodeCrd } from "../../generators/types/read-crds.ts";
import type { Located } from "../located.ts";
import { type Bundle, crdsOf, versionsOf } from "./bundle.ts";
import { show } from "./check-csv.ts";
import { type BundleFinding, finding, type Findings } from "./finding.ts";

/** What an API server says about the CRDs. */
export async function checkCrds(bundle: Bundle): Promise<BundleFinding[]> {
  return (await Promise.all(crdsOf(bundle).map(checkCrd))).flat();
}

async function checkCrd(crd: Located): Promise<BundleFinding[]> {
  const hint = "generate CRDs with tsbuilder manifests, which refuses what an API server would";
  try {
    const decoded = await decodeCrd(copyJSON(crd.value) as Record<string, unknown>);
    const metadata = isObject(decoded["metadata"]) ? decoded["metadata"] : {};
    const spec = decoded["spec"] as CRDSpec | undefined;
    defaultNames(spec);
    return validateCRD({ metadata, ...(spec ? { spec } : {}) }).map((error) =>
      finding("crd-invalid", crd.find(error.field), formatFieldError(error), hint),
    );
  } catch (error) {
    if (error instanceof DecodeError) return [finding("crd-invalid", crd.get("spec"), error.message, hint)];
    if (error instanceof RangeError) {
      return [finding("crd-invalid", crd.get("spec"), "the schema is nested too deeply", hint)];
    }
    throw error;
  }
}

/** CRDs that are owned are in the bundle, and the other way around. */
export function* checkOwned(bundle: Bundle): Findings {
  if (bundle.csv.isMissing) return;
  const definitions = bundle.csv.get("spec", "customresourcedefinitions");
  const owned = definitions.get("owned").items;
  const crds = bundle.objects.filter((object) => object.get("kind").value === "CustomResourceDefinition");
  const seen = new Map<string, string>();
  for (const one of [...owned, ...definitions.get("required").items]) {
    const name = one.get("name");
    if (!/^[^.]+\.[^.]/u.test(name.text ?? "")) {
      yield finding(
        "owned-crd-name",
        name,
        `${show(name)} is not the name of a CRD`,
        "use PLURAL.GROUP, such as shops.apps.example.com",
      );
    }
    const id = `${name.text} ${one.get("version").text}`;
    const former = seen.get(id);
    if (former !== undefined) {
      const message = `${former} is the same version of the same CRD`;
      yield finding("owned-crd-duplicate", name, message, "delete one of them");
    }
    seen.set(id, one.path);
  }
  for (const one of owned) {
    const [name, version, kind] = [one.get("name"), one.get("version"), one.get("kind")];
    const crd = crds.find((candidate) => candidate.get("metadata", "name").value === name.value);
    if (!crd) {
      const message = `the owned CRD ${show(name)} is not in the bundle`;
      yield finding("owned-crd-missing", name, message, "add its file to manifests/, or list it as required");
    } else if (crd.get("spec", "names", "kind").value !== kind.value) {
      const message = `the kind of "${crd.file}" is ${show(crd.get("spec", "names", "kind"))}, and not ${show(kind)}`;
      yield finding("owned-crd-missing", kind, message, "correct the kind");
    } else if (!versionsOf(crd).includes(version.text ?? "")) {
      const message = `"${crd.file}" has the versions ${versionsOf(crd).join(", ") || "(none)"}, and not ${show(version)}`;
      yield finding("owned-crd-missing", version, message, "own a version that the CRD has");
    }
  }
  for (const crd of crds) {
    const name = crd.get("metadata", "name");
    if (owned.some((one) => one.get("name").value === name.value)) continue;
    const message = `the CRD ${show(name)} is in the bundle, but the ClusterServiceVersion does not own it`;
    yield finding("crd-not-owned", name, message, "add it to spec.customresourcedefinitions.owned");
  }
}

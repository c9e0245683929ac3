import { duplicate, invalid, notSupported } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { CSIDriverSpec } from "@tsbuilder/apimachinery/k8s/storage/v1";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Sent } from "../../../contract/sent.ts";
import { immutable, optionalChoice, type Problems } from "../../checks/problems.ts";

export type CSIDriver = ApiObject & { spec?: Sent<CSIDriverSpec> };

const shortestUpdatePeriod = 10;

export function* driverProblems({ spec = {} }: CSIDriver): Problems {
  yield* optionalChoice("spec.fsGroupPolicy", spec.fsGroupPolicy, [
    "File",
    "None",
    "ReadWriteOnceWithFSType",
  ]);
  yield* tokenProblems("spec.tokenRequests", spec);
  for (const mode of spec.volumeLifecycleModes ?? []) {
    if (mode === "Persistent" || mode === "Ephemeral") continue;
    yield notSupported("spec.volumeLifecycleModes", mode, ["Persistent", "Ephemeral"]);
  }
  const { nodeAllocatableUpdatePeriodSeconds: period, serviceAccountTokenInSecrets: inSecrets } = spec;
  if (period !== undefined && period < shortestUpdatePeriod) {
    const field = "spec.nodeAllocatableUpdatePeriodSeconds";
    yield invalid(field, period, `must be greater than or equal to ${shortestUpdatePeriod} seconds`);
  }
  if (inSecrets !== undefined && !spec.tokenRequests?.length) {
    const detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
    yield invalid("spec.serviceAccountTokenInSecrets", inSecrets, detail);
  }
}

function* tokenProblems(field: string, { tokenRequests = [] }: Sent<CSIDriverSpec>): Problems {
  const audiences = tokenRequests.map(({ audience = "" }) => audience);
  for (const [index, { expirationSeconds: seconds }] of tokenRequests.entries()) {
    const at = `${field}[${index}]`;
    const audience = audiences[index]!;
    if (audiences.indexOf(audience) < index) yield duplicate(`${at}.audience`, audience);
    else if (seconds !== undefined && seconds < 600) {
      yield invalid(`${at}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes");
    } else if (seconds !== undefined && seconds > 2 ** 32) {
      const detail = "may not specify a duration larger than 2^32 seconds";
      yield invalid(`${at}.expirationSeconds`, seconds, detail);
    }
  }
}

/** The server misspells the first field. */
export function* driverChanges({ spec = {} }: CSIDriver, { spec: old = {} }: CSIDriver): Problems {
  yield* immutable("spec.attachedRequired", spec.attachRequired, old.attachRequired);
  yield* immutable("spec.volumeLifecycleModes", spec.volumeLifecycleModes, old.volumeLifecycleModes);
}

export function* driverWarnings({ spec = {} }: CSIDriver, old?: CSIDriver): Generator<string, void> {
  if (!spec.tokenRequests?.length || spec.serviceAccountTokenInSecrets !== undefined) return;
  if (old && isEqual(spec.tokenRequests, old.spec?.tokenRequests)) return;
  yield "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";
}
